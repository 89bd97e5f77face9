package report

import (
	"bytes"
	"fmt"
	"strings"

	"ratelab/internal/result"
)

// hgrmTicks is how many lines there are for each halving of the distance to 100 %, as the format's other writers have
// it.
const hgrmTicks = 5

// hgrmFiles are the percentile distributions of the open loop by file name, in order; there is none of nothing.
func hgrmFiles(r *result.Benchmark) ([]output, error) {
	var files []output
	names := map[string]bool{}
	for i := range r.Runs {
		run := &r.Runs[i]
		for j := range run.Rows {
			row := &run.Rows[j]
			stem := unusedStem(names, fileName(run.Scenario)+"."+fileName(row.Algorithm))
			for _, verdict := range outcomes(&row.Open.Latency) {
				for n, of := range verdict.Stretches() {
					if of.Count() == 0 {
						continue
					}
					text, err := hgrm(of)
					if err != nil {
						return nil, err
					}
					files = append(files, output{fmt.Sprintf("%s.%s.%s.hgrm", stem, verdict.name, stretches[n]), text})
				}
			}
		}
	}
	return files, nil
}

// hgrm is the usual text of a percentile distribution, values in µs.
func hgrm(h *result.Histogram) ([]byte, error) {
	var out bytes.Buffer
	if _, err := h.PercentilesPrint(&out, hgrmTicks, 1); err != nil {
		return nil, err
	}
	out.WriteString("#[Values are microseconds]\n")
	return out.Bytes(), nil
}

// unusedStem is the stem, or the stem with a number where another label has come out as the same.
func unusedStem(used map[string]bool, stem string) string {
	free := strings.ToLower(stem) // some file systems take A and a for one
	for n := 2; used[free]; n++ {
		free = fmt.Sprintf("%s~%d", strings.ToLower(stem), n)
	}
	used[free] = true
	return stem + free[len(stem):]
}

// fileName is a label as a part of a file's name that every system takes: gcra:burst=50 becomes gcra_burst_50. A dot
// separates parts and so stands in none.
func fileName(label string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, label)
	return name[:min(len(name), 80)] // the longest name of a file is commonly 255 bytes
}

// stretches are the names of the histograms of a request's way.
var stretches = []string{"lag", "wait", "service", "response"}
