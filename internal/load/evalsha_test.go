package load

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"ratelab/internal/script"
)

// What a call is written as is what go-redis' own writer would send: an array of bulk strings.
func TestACallIsWrittenAsTheProtocolSays(t *testing.T) {
	call := script.Call{
		Keys: []script.Template{script.KeyIn("a:"), script.Literal("fixed")},
		Args: []script.Template{script.NowUS(1), script.Literal(""), script.Cost()},
	}
	e := newEvalsha("sha", call)
	rapid.Check(t, func(t *rapid.T) {
		v := script.Vars{Key: rapid.String().Draw(t, "key"), Cost: rapid.Int64Min(1).Draw(t, "cost"),
			NowUS: rapid.Int64Min(0).Draw(t, "now")}
		words := []string{"EVALSHA", "sha", "2", "a:{" + v.Key + "}", "fixed", strconv.FormatInt(v.NowUS, 10), "",
			strconv.FormatInt(v.Cost, 10)}
		want := "*8\r\n"
		for _, w := range words {
			want += "$" + strconv.Itoa(len(w)) + "\r\n" + w + "\r\n"
		}
		if got, _ := e.append(nil, nil, v); string(got) != want {
			t.Fatalf("%q; want %q", got, want)
		}
	})
}
