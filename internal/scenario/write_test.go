package scenario

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/internal/limit"
	"ratelab/internal/traffic"
)

// requestsOf are all requests of a scenario.
func requestsOf(t testing.TB, s *Scenario) []limit.Request {
	t.Helper()
	var all []limit.Request
	for q, err := range s.Stream(s.Seed).Requests() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, q)
	}
	return all
}

// Every built-in scenario, written and read, is the same, and its traffic too.
func TestWriteBuiltin(t *testing.T) {
	all, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	schema := compileSchema(t)
	for _, s := range all {
		data, err := Write(s)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		back, err := Parse(s.Name+".yaml", data)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(requestsOf(t, back), requestsOf(t, s)) {
			t.Errorf("%s: other traffic:\n%s", s.Name, data)
		}
		if v, _ := asJSON(t, data); schema.Validate(v) != nil {
			t.Errorf("%s: the schema refuses %v\n%s", s.Name, schema.Validate(v), data)
		}
	}
}

// Every field is written, and as a person would: the file that TestEveryFieldIsRead reads comes out as it is, but for
// its trace.
func TestWriteEveryField(t *testing.T) {
	lines := slices.DeleteFunc(strings.SplitAfter(everything, "\n"), func(line string) bool {
		return strings.Contains(line, "name: trace") || strings.HasPrefix(line, "#")
	})
	want := strings.Join(lines, "")
	s, err := Parse("everything.yaml", []byte(want))
	if err != nil {
		t.Fatal(err)
	}
	data, err := Write(s, "Every field there is.")
	if err != nil {
		t.Fatal(err)
	}
	golden, err := os.ReadFile("testdata/written.yaml")
	if *update {
		golden, err = data, os.WriteFile("testdata/written.yaml", data, 0o644)
	}
	if err != nil || string(data) != string(golden) {
		t.Errorf("%v, got\n%swant\n%s", err, data, golden)
	}
}

func TestWriteRefuses(t *testing.T) {
	s := func(change func(*Scenario)) *Scenario {
		s, err := Parse("everything.yaml", []byte(everything))
		if err != nil {
			t.Fatal(err)
		}
		s.Phases, s.ServerClock = s.Phases[:1], nil
		change(s)
		return s
	}
	if _, err := Write(s(func(*Scenario) {}), "two\nlines"); err == nil {
		t.Error("a comment of two lines was written")
	}
	for want, bad := range map[string]*Scenario{
		"is a trace":        s(func(s *Scenario) { s.Phases[0].Trace = &traffic.Trace{File: "a.log"} }),
		"cannot be written": s(func(s *Scenario) { s.Limit.Requests = 0 }),
		"is not a name":     s(func(s *Scenario) { s.Name = "a/b" }),
		"its file would not say": s(func(s *Scenario) {
			s.Expect[0].Measures[0] = Range{Measure: "admitted",
				Min: math.NaN(), Max: 1}
		}),
		"keys of a kind that no file":  s(func(s *Scenario) { s.Phases[0].Keys = nil }),
		"a cost of a kind that no fil": s(func(s *Scenario) { s.Phases[0].Cost = nil }),
		"that no file can say":         s(func(s *Scenario) { s.Phases[0].Arrivals = nil }),
	} {
		if data, err := Write(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q\n%s", err, want, data)
		}
	}
}

// Whatever the names, the question and the times: what is written is read back as the same traffic.
func TestWriteIsReadBack(t *testing.T) {
	text := rapid.StringMatching(`[^\x00-\x20\x7f-\xa0]([^\x00-\x1f\x7f-\x9f\x{2028}\x{2029}]{0,30}[^\x00-\x20\x7f-\xa0])?`)
	rapid.Check(t, func(t *rapid.T) {
		s := &Scenario{Name: "drawn", Question: text.Draw(t, "question") + "?",
			Limit: limit.Policy{Requests: 5, Window: time.Second},
			Seed:  rapid.Uint64Range(0, 1<<53).Draw(t, "seed"), OnLate: OnLates[0],
			Start: DefaultStart.Add(time.Duration(rapid.Int64Range(0, 1e13).Draw(t, "start")) * time.Microsecond)}
		for _, name := range rapid.SliceOfNDistinct(text, 1, 5, rapid.ID).Draw(t, "names") {
			us := rapid.Int64Range(1, 1e9).Draw(t, "us")
			n := rapid.Int64Range(1, 50).Draw(t, "n")
			s.Phases = append(s.Phases, traffic.Phase{
				Name: name, Duration: time.Duration(us) * time.Microsecond, Keys: traffic.Uniform{Count: 1},
				Cost: traffic.FixedCost(rapid.Int64Range(1, 3).Draw(t, "cost")),
				Arrivals: rapid.SampledFrom([]traffic.Arrivals{traffic.Constant(n), traffic.Burst{Size: n},
					traffic.Pause{},
					traffic.Steady{Rate: traffic.Rate{Count: n,
						Per: time.Duration(us) * time.Microsecond}}}).Draw(t, "shape"),
			})
		}
		data, err := Write(s)
		if err != nil {
			if strings.TrimSpace(s.Question) != s.Question || strings.ContainsRune(s.Question, '\ufffd') ||
				strings.Contains(err.Error(), "control characters") || strings.Contains(err.Error(), "blank") {
				t.Skip("no legal text")
			}
			t.Fatal(err)
		}
		back, err := Parse("drawn.yaml", data)
		if err != nil || !slices.EqualFunc(back.Phases, s.Phases, func(a, b traffic.Phase) bool { return a == b }) {
			t.Fatalf("%v\n%s", err, data)
		}
	})
}

// A contract that a file names stays named when it is written, the default one too; what is no default is named.
func TestWriteKeepsTheContractNamed(t *testing.T) {
	for contract, named := range map[string]bool{"": false, ", contract: window": true, ", contract: bucket": true} {
		s, err := Parse("named.yaml", []byte("name: named\nquestion: Which?\nlimit: {requests: 2, per: 1s"+contract+
			"}\nphases:\n  - {name: all, duration: 1s, constant: 1}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if s.NamesContract != named {
			t.Errorf("%q: named is %t", contract, s.NamesContract)
		}
		data, err := Write(s)
		if err != nil || !strings.Contains(string(data), "per: 1s"+contract+"}") {
			t.Errorf("%q: %v\n%s", contract, err, data)
		}
	}
	made := &Scenario{Name: "made", Question: "Which?", Seed: 1, Start: DefaultStart, OnLate: OnLates[0],
		Limit: limit.Policy{Requests: 2, Window: time.Second, Contract: limit.ByBucket},
		Phases: []traffic.Phase{{Name: "all", Duration: time.Second, Arrivals: traffic.Constant(1),
			Keys: traffic.Uniform{Count: 1}, Cost: traffic.FixedCost(1)}}}
	if data, err := Write(made); err != nil || !strings.Contains(string(data), "contract: bucket") {
		t.Errorf("%v\n%s", err, data)
	}
}
