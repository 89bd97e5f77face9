package report

import (
	"regexp"
	"strings"
	"unicode"

	"ratelab/internal/message"
)

// BenchmarkName is a benchmark's name with a part for each key and value: BenchmarkSimulate/scenario=poisson. What
// the format reserves does not stand in it, and its end is not taken for a GOMAXPROCS.
func BenchmarkName(of string, keysAndValues ...string) string {
	name := "Benchmark" + of
	for i := 0; i+1 < len(keysAndValues); i += 2 {
		name += "/" + keysAndValues[i] + "=" + OneWord(keysAndValues[i+1])
	}
	if endsInProcs.MatchString(name) {
		name += "-1"
	}
	return name
}

// endsInProcs matches a name whose end the format would read as GOMAXPROCS, such as that of my-script-2; a
// name that ends so is given a GOMAXPROCS of its own.
var endsInProcs = regexp.MustCompile(`-[0-9]+$`)

// OneWord makes s a part of a benchmark's name, in which blanks end the name and a slash the part.
func OneWord(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, message.Visible(s))
}
