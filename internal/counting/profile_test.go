package counting

import (
	"strings"
	"testing"
)

// part is a dump as callgrind writes it, with the cost of serverCron.
const part = `# callgrind format
version: 1
events: Ir
summary: 1000

fn=(1) main
0 10
cfn=(2) serverCron
calls=1 0 
0 300
cfn=(3) malloc
calls=4 0 
0 80

fn=(4) work'2
0 20
cfn=(3)
calls=2 0 
0 40
cfn=(5) je_calloc
calls=1 0 
0 30
cfn=(6) free
calls=7 0 
0 70
cfn=(7) lua_gc
calls=2 0 
0 50

totals: 1000
`

func TestAPartSumsUpWithoutTheCron(t *testing.T) {
	got, err := readPart(strings.NewReader(part))
	if want := (counts{Instructions: 700, Collections: 2}); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

func TestPartsThatAreNone(t *testing.T) {
	for name, text := range map[string]string{
		"cut short":     strings.TrimSuffix(part, "totals: 1000\n"),
		"no number":     strings.Replace(part, "totals: 1000", "totals: many", 1),
		"no calls":      strings.Replace(part, "calls=4", "calls=some", 1),
		"no cron costs": strings.Replace(part, "0 300", "0 much", 1),
	} {
		if c, err := readPart(strings.NewReader(text)); err == nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
}
