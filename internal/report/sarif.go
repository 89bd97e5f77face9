package report

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"net/url"
	"path/filepath"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// rule returns the kind of a comparison: the finding's own, or that of its gate.
func (j *judged) rule() string {
	if _, known := result.Kinds[j.Measure]; known {
		return j.Measure
	}
	return j.gate
}

// levels are the levels of the outcomes that SARIF lists.
var levels = map[result.Outcome]string{result.Regression: "error", result.Inconclusive: "warning",
	result.Noted: "note"}

// writeSARIF writes a result for each comparison that is worse, undecided or only noted, and a rule for each of their
// kinds. Fingerprints depend on the rule, the script and the scenario, not on figures or lines. If no line is known,
// line 1 is named, because code scanning on GitHub requires one. Source: SARIF 2.1.0, an OASIS standard of 2020.
func writeSARIF(w io.Writer, d *result.Document, verdicts []result.Verdict) error {
	type object = map[string]any
	rules, results := []object{}, []object{}
	listed := map[string]bool{}
	times := map[string]int{} // results with the same rule, script and scenario
	for i := range verdicts {
		for j := range cases(&verdicts[i]) {
			level, rule, script := levels[j.Outcome], j.rule(), cmp.Or(j.Script, j.Limiter)
			if level == "" {
				continue
			}
			if k := result.Kinds[rule]; !listed[rule] {
				listed[rule] = true
				rules = append(rules, object{"id": rule, "help": object{"text": k.Help},
					"shortDescription": object{"text": cmp.Or(k.Name, k.Help)}})
			}
			at := object{"logicalLocations": []object{{"name": message.Visible(script)}}}
			if j.Script != "" {
				uri := (&url.URL{Path: filepath.ToSlash(filepath.Clean(j.Script))}).EscapedPath()
				at = object{"physicalLocation": object{"artifactLocation": object{"uri": uri},
					"region": object{"startLine": max(1, j.Line)}}}
			}
			text := j.Statement
			if j.Where != "" {
				text = j.Where + ": " + text
			}
			identity := fmt.Sprintf("%s\n%s\n%s", rule, filepath.ToSlash(script), j.Where)
			hash := sha256.Sum256(fmt.Appendf(nil, "%s\n%d", identity, times[identity]))
			times[identity]++
			results = append(results, object{"ruleId": rule, "level": level, "locations": []object{at},
				"message":             object{"text": message.Visible(text)},
				"partialFingerprints": object{"verdict/v1": fmt.Sprintf("%x", hash[:16])}})
		}
	}
	driver := object{"name": "ratelab", "version": cmp.Or(d.Tool.Version, "devel"), "rules": rules}
	return writeJSON(w, object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{"automationDetails": object{"id": reportName(d, verdicts) + "/"},
			"tool": object{"driver": driver}, "results": results}}})
}
