package report

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// These types are SARIF 2.1.0. Source: the OASIS standard "Static Analysis Results Interchange Format", 2020.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Of      map[string]string    `json:"automationDetails"`
		Tool    map[string]sarifTool `json:"tool"`
		Results []sarifResult        `json:"results"`
	}
	sarifTool struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Short sarifText `json:"shortDescription"`
		Help  sarifText `json:"help"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		Rule         string            `json:"ruleId"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []any             `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
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
// line 1 is named, because code scanning on GitHub requires one.
func writeSARIF(w io.Writer, d *result.Document, verdicts []result.Verdict) error {
	type object = map[string]any
	driver := sarifTool{Name: "ratelab", Version: d.Tool.Version, Rules: []sarifRule{}}
	run := sarifRun{Of: map[string]string{"id": reportName(d, verdicts) + "/"}, Results: []sarifResult{}}
	times := map[string]int{} // results with the same rule, script and scenario
	for i := range verdicts {
		v := &verdicts[i]
		for j := range cases(v) {
			level, rule := levels[j.Outcome], j.rule()
			if level == "" {
				continue
			}
			script := cmp.Or(j.Script, j.Limiter)
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
			run.Results = append(run.Results, sarifResult{Rule: rule, Level: level,
				Message: sarifText{message.Visible(text)}, Locations: []any{at},
				Fingerprints: map[string]string{"ratelab/v1": fmt.Sprintf("%x", hash[:16])}})
			if !slices.ContainsFunc(driver.Rules, func(r sarifRule) bool { return r.ID == rule }) {
				k := result.Kinds[rule]
				driver.Rules = append(driver.Rules,
					sarifRule{rule, sarifText{cmp.Or(k.Name, k.Help)}, sarifText{k.Help}})
			}
		}
	}
	run.Tool = map[string]sarifTool{"driver": driver}
	return writeJSON(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}
