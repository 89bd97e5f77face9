package accesslog

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A join is taken apart again by reading it from the left: so no two lists of values make one key.
func TestJoinedKeysAreToldApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.StringMatching(`[ab|\\+]{0,4}`), 2, 4).Draw(t, "values")
		var key []byte
		for i, v := range values {
			if i > 0 {
				key = append(key, '|')
			}
			key = append(key, escaped([]byte(v))...)
		}
		apart, escaped := []string{""}, false
		for _, c := range string(key) {
			switch {
			case c == '|' && !escaped:
				apart = append(apart, "")
			case c == '\\' && !escaped:
				escaped = true
				continue
			default:
				apart[len(apart)-1] += string(c)
			}
			escaped = false
		}
		if strings.Join(apart, "\n") != strings.Join(values, "\n") {
			t.Fatalf("%q came apart from %s as %q", values, key, apart)
		}
	})
}

func TestKeysOfSeveralFields(t *testing.T) {
	csv := write(t, "t.csv", "t,who,what,a+b\n1,x|,y,1\n1,x,|y,2\n1,x\\,,3\n1,x,y,4\n")
	jsonl := write(t, "t.jsonl", `{"t": 1, "who": "x|", "what": {"n": "y"}, "a+b": 1}
{"t": 1, "who": "x", "what": {"n": "|y"}, "a+b": 2}
{"t": 1, "who": "x\\", "what": {"n": ""}, "a+b": 3}
{"t": 1, "who": "x", "what": {"n": "y"}, "a+b": 4}
`)
	for _, trace := range []Trace{
		{File: csv, Time: "t", Key: "who+what", WithinSecond: AtStart},
		{File: jsonl, Time: "t", Key: "who + what.n", WithinSecond: AtStart},
	} {
		got, _ := play(t, trace)
		expectLines(t, got, `0 x\||y 1
0 x|\|y 1
0 x\\| 1
0 x|y 1`)
		trace.Key = "a+b" // a column of that very name is no join
		got, _ = play(t, trace)
		expectLines(t, got, "0 1 1\n0 2 1\n0 3 1\n0 4 1")
	}
}
