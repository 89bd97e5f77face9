package benchchart

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/benchresult"
	"ratelab/internal/chart"
	"ratelab/internal/result"
)

// namesOf tells the results apart by as little as it takes: server and version, then how it was run and reached, then
// when, and at last by number.
func namesOf(in []*benchresult.Document) []string {
	forms := []func(i int, r *benchresult.Document) string{
		func(_ int, r *benchresult.Document) string {
			return strings.TrimSpace(r.Server.Name + " " + r.Server.Version)
		},
		func(_ int, r *benchresult.Document) string { return r.Server.String() },
		func(_ int, r *benchresult.Document) string {
			return r.Server.String() + ", " + r.Started.UTC().Format("2006-01-02 15:04:05")
		},
	}
	last := func(i int, r *benchresult.Document) string {
		return fmt.Sprintf("%s, result %d", r.Server.String(), i+1)
	}
	for _, form := range append(forms, last) {
		names := make([]string, len(in))
		for i, r := range in {
			names[i] = form(i, r)
		}
		if len(slices.Compact(slices.Sorted(slices.Values(names)))) == len(in) {
			return names
		}
	}
	return nil // numbers are never equal
}

// slug is a name that can stand in a file's name.
func slug(name string) string {
	var out strings.Builder
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.':
			out.WriteRune(r)
		default:
			if !strings.HasSuffix(out.String(), "-") {
				out.WriteByte('-')
			}
		}
	}
	return strings.Trim(out.String(), "-.")
}

// policy is a limit in words: 1,000 per 3 s, burst 100.
func policy(l result.Limit) string {
	text := fmt.Sprintf("%s per %s", chart.Exact(l.Requests), chart.Each(float64(l.WindowUS)))
	if l.Burst != 0 && l.Burst != l.Requests {
		text += ", burst " + chart.Exact(l.Burst)
	}
	return text
}
