package examine

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// Forms are the output formats of examinations.
var Forms = report.Formats{Sheet: sheet, Width: 80, CSV: writeCSV}

// FormsOf returns the formats of examinations of these files, JUnit and SARIF included. A built-in limiter has no file.
func FormsOf(files []string) *report.Formats {
	f := Forms
	f.Verdicts, f.SARIF = func(d *result.Document) []result.Verdict { return verdicts(d, files) }, true
	return &f
}

// verdicts returns a verdict for each examination, with a comparison for each finding.
func verdicts(d *result.Document, files []string) (all []result.Verdict) {
	for i, e := range d.Examinations {
		g := result.Gate{Name: "findings", Outcome: result.Noted}
		add := func(kind string, outcome result.Outcome, text string, line int) {
			j := result.Judgement{Limiter: e.Algorithm, Where: e.Limit.String(), Measure: kind, Outcome: outcome,
				Statement: text, Line: line}
			if limiter.IsScript(files[i]) {
				j.Script = files[i]
			}
			g.Add(j)
		}
		for _, f := range e.Findings {
			outcome := result.Noted
			if f.Fault {
				outcome = result.Regression
			}
			add(f.Kind, outcome, f.String(), f.Line)
		}
		if e.NotExamined != "" {
			add(result.NotExamined, result.Inconclusive, e.NotExamined, 0)
		} else if e.Faults() == 0 {
			add(g.Name, result.Same, "no fault", 0)
		}
		v := result.Verdict{Head: files[i], Gates: []result.Gate{g}}
		v.Conclude()
		all = append(all, v)
	}
	return all
}

// sheet shows for each script its kind, the findings, and what else was tried.
func sheet(d *result.Document) (s report.Sheet) {
	faults := 0
	for i := range d.Examinations {
		e := &d.Examinations[i]
		if !e.Partial {
			faults += e.Faults()
		}
		lead := report.Examined(e)
		if e.Server != nil && len(lead) > 1 {
			lead[1].Text += "; " + report.ServerWords(*e.Server)
		}
		s = append(s, report.Part{Lead: lead},
			report.Part{Tables: []report.Table{report.Findings(e)}})
		if text := report.Checked(e); text != "" {
			s = append(s, report.Part{Lead: []report.Line{{Text: text}}})
		}
	}
	if faults > 0 {
		s = append(s, report.Part{Lead: []report.Line{{Text: "Exit 1."}}})
	}
	return s
}

// writeCSV writes one line per finding, and one for each script that was not examined.
func writeCSV(w io.Writer, d *result.Document) error {
	lines := [][]string{{"limiter", "limit", "kind", "fault", "name", "text", "requests", "worst"}}
	for _, e := range d.Examinations {
		findings := e.Findings
		if e.NotExamined != "" {
			findings = []result.Finding{{Kind: result.NotExamined, Name: "not examined", Text: e.NotExamined,
				Limit: e.Limit}}
		}
		for _, f := range findings {
			lines = append(lines, []string{e.Algorithm, f.Limit.Policy().String(), f.Kind, fmt.Sprint(f.Fault), f.Name,
				f.Text, report.Integer(f.Requests), report.Integer(e.Worst)})
		}
	}
	return report.WriteCSV(w, lines)
}

// FileName returns the name of a finding's scenario file.
func FileName(e *result.Examination, f *result.Finding) string {
	return bare(e.Algorithm) + "." + strings.ReplaceAll(f.Kind, "_", "-") + ".yaml"
}

// bare converts a limiter's label for names of files and scenarios.
func bare(label string) string {
	return strings.NewReplacer(":", "-", "=", "-", ".", "-").Replace(label)
}

// inFile returns the fields of a limit in a scenario file.
func inFile(at result.Limit) string {
	text := fmt.Sprintf("requests: %d, per: %s", at.Requests, report.Span(at.WindowUS))
	if at.Burst != at.Requests {
		text += fmt.Sprintf(", burst: %d", at.Burst)
	}
	if at.Contract != limit.ByWindow {
		text += fmt.Sprintf(", contract: %v", at.Contract)
	}
	return text
}

// Scenario returns the traffic that shows a finding, as a scenario file.
func Scenario(e *result.Examination, f *result.Finding) []byte {
	var b strings.Builder
	kind := strings.ReplaceAll(f.Kind, "_", "-")
	fmt.Fprintf(&b, "# %s: %s\n", e.Algorithm, f)
	fmt.Fprintf(&b, "name: %s-%s\nquestion: Does %s still do this (%s)?\n", bare(e.Algorithm), kind, bare(e.Algorithm),
		strings.ReplaceAll(kind, "-", " "))
	at := f.Limit
	if at.Contract == limit.ByFlight {
		fmt.Fprintf(&b, "limit: %v\n", at.Policy())
	} else if f.Limits == nil {
		fmt.Fprintf(&b, "limit: {%s}\n", inFile(at))
	} else {
		b.WriteString("limits:\n")
	}
	for _, l := range f.Limits {
		fmt.Fprintf(&b, "  - {name: %s, %s, counts: %s", l.Name, inFile(l.Limit), l.Counts)
		if l.Key > 0 {
			fmt.Fprintf(&b, ", key: %d", l.Key)
		}
		b.WriteString("}\n")
	}
	if f.BehindUS > 0 {
		fmt.Fprintf(&b, "clients:\n  - {name: right}\n  - {name: behind, offset: -%s}\n", report.Span(f.BehindUS))
	}
	if i := slices.IndexFunc(f.Traffic, func(v result.Volley) bool { return v.Dies }); i >= 0 {
		fmt.Fprintf(&b, "crashes: [{at: %s, share: 1}]\n", report.Span(f.Traffic[i].AtUS+f.Traffic[i].TakesUS))
	}
	b.WriteString("phases:\n")
	end := int64(0)
	for i, v := range f.Traffic {
		if gap := v.AtUS - end; gap > 0 {
			fmt.Fprintf(&b, "  - {name: wait %d, duration: %s, pause: true}\n", i+1, report.Span(gap))
		}
		n, more := v.Requests, ""
		if v.Key == another { // the other client is the second of two keys in turn
			n, more = n+1, ", keys: {count: 2, distribution: sequential}"
		}
		if v.Cost != 1 {
			more += fmt.Sprintf(", cost: %d", v.Cost)
		}
		if v.TakesUS > 0 && !v.Dies {
			more += ", takes: " + report.Span(v.TakesUS)
		} else if v.Dies {
			more += ", takes: 366d" // until the crash
		}
		if v.Actual > 0 {
			more += fmt.Sprintf(", actual: %d", v.Actual)
		}
		instants, step := n/v.AtOnce, max(1, v.EveryUS)
		arrivals := fmt.Sprintf("constant: %d", n)
		if v.AtOnce > 1 {
			arrivals = fmt.Sprintf("burst: {count: %d, every: %s}", v.AtOnce, report.Span(step))
		}
		fmt.Fprintf(&b, "  - {name: ask %d, duration: %s, %s%s}\n", i+1, report.Span(instants*step), arrivals, more)
		end = v.AtUS + instants*step
	}
	return []byte(b.String())
}
