package examine

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ratelab/algorithms"
	"ratelab/algorithms/algotest"
	"ratelab/internal/engine"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/load"
	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// exchanges are what stands in the place of a word of a script, one at a time.
var exchanges = map[string]string{"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<=": "<", ">=": ">", "<": "<=",
	">": ">=", "==": "~=", "~=": "==", "and": "or", "or": "and", "math.max": "math.min", "math.min": "math.max",
	"math.ceil": "math.floor", "math.floor": "math.ceil", "1000000": "1000", "1000": "1000000", "true": "false"}

var (
	words     = regexp.MustCompile(`'[^']*'|--.*|[A-Za-z_][\w.]*|\d+(?:\.\d+)?|<=|>=|==|~=|\.\.|[-+*/%<>]`)
	statement = regexp.MustCompile(`(?m)^ *(redis\.call\(.*\)|[\w, ]+ = .*|if .* then .* end)$`)
)

// mutant is a script with one change.
type mutant struct{ what, source string }

// mutantsOf are all scripts that one change makes of a script.
func mutantsOf(source string) (all []mutant) {
	put := func(from, to int, new string) {
		line := 1 + strings.Count(source[:from], "\n")
		all = append(all, mutant{fmt.Sprintf("line %d: %q for %q", line, new, source[from:to]),
			source[:from] + new + source[to:]})
	}
	for _, at := range words.FindAllStringIndex(source, -1) {
		word := source[at[0]:at[1]]
		if new, ok := exchanges[word]; ok {
			put(at[0], at[1], new)
		}
		if n, err := strconv.ParseInt(word, 10, 64); err == nil {
			put(at[0], at[1], strconv.FormatInt(n+1, 10))
			if n > 1 {
				put(at[0], at[1], "0")
			}
		}
	}
	for _, at := range statement.FindAllStringIndex(source, -1) {
		if !strings.Contains(source[at[0]:at[1]], "local ") {
			put(at[0], at[1], "")
		}
	}
	return all
}

// differs says what a mutant changes of the model's answers to random requests, where no instant within 4 ms decides
// otherwise. The requests come from a generator that the corpus does not use.
func differs(t *testing.T, e run.Engine, l *limiter.Limiter, seed uint64) string {
	p := l.Policy
	told := false
	random := rand.New(rand.NewPCG(seed, 5))
	for range longtest.Of(20, 5) {
		var requests []limit.Request
		var want []limit.Decision
		begins := []int{}
		line := int64(0)
		for range 50 {
			some, decided := algotest.RandomRequests(random, p, l.NewModel())
			begins = append(begins, len(requests))
			for i := range some {
				some[i].AtUS += line
				some[i].Key = fmt.Sprintf("%s-%d", some[i].Key, len(begins))
			}
			requests, want = append(requests, some...), append(want, decided...)
			w := p.WindowUS()
			line = (requests[len(requests)-1].AtUS/w + 2) * w
		}
		got := make([]limit.Decision, len(requests))
		plan := &run.Plan{Scenario: &scenario.Scenario{Start: time.UnixMicro(algotest.StartUS)}}
		s, err := e.Open(t.Context(), plan, l)
		if err == nil {
			err = s.Decide(t.Context(), requests, got)
		}
		err = e.Clean(t.Context(), err)
		switch _, noLua := errors.AsType[*virtualtime.CompileError](err); {
		case noLua:
			return ""
		case err != nil: // or it loops
			return "fails"
		}
		for k, from := range begins {
			to := len(requests)
			if k+1 < len(begins) {
				to = begins[k+1]
			}
			model := l.NewModel()
			for i := from; i < to; i++ {
				q := requests[i]
				at := algotest.StartUS + q.AtUS
				if got[i].Verdict != want[i].Verdict {
					stable := true
					for _, off := range []int64{-4 * millisecond, 4 * millisecond} {
						d := model.Fork(q.Key).Decide(at+off, at+off, q.Key, q.Cost)
						stable = stable && d.Verdict == want[i].Verdict
					}
					if stable {
						return "decision"
					}
					break // what follows may follow from it
				}
				far := func(a, b int64) bool { return abs(a-b) > 4*millisecond }
				told = told || got[i].Remaining != want[i].Remaining ||
					far(got[i].RetryAfterUS, want[i].RetryAfterUS) ||
					far(got[i].ResetAfterUS, want[i].ResetAfterUS)
				model.Decide(at, at, q.Key, q.Cost)
			}
		}
	}
	if told {
		return "told"
	}
	return "nothing"
}

// Of the scripts that one change makes of the built-in ones, those that decide otherwise are named a fault by examine
// and told apart by compare. The table of docs/scripts.md comes from here: RATELAB_MUTANTS is how many of each script.
func TestMutants(t *testing.T) {
	text := os.Getenv("RATELAB_MUTANTS")
	if text == "" && longtest.Nightly(1, 0, 0) == 0 {
		t.Skipf("examines and compares changed scripts for minutes; %s=1 runs it", longtest.Night)
	}
	perScript, names := 4, []string{"gcra"}
	if text != "" {
		names = slices.DeleteFunc(algorithms.Names(), func(name string) bool { return name == "none" })
		perScript, _ = strconv.Atoi(text)
	}
	found := map[string]int{}
	for _, name := range names {
		all := mutantsOf(algorithms.Of(name).Script())
		random := rand.New(rand.NewPCG(3, uint64(len(all))))
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		of := map[string]int{}
		for _, m := range all {
			if of["mutants"] == perScript {
				break
			}
			kind, named, apart := tried(t, name, m.source)
			if kind == "" { // no Lua
				continue
			}
			of["mutants"]++
			of[kind]++
			if named {
				of[kind+", named"]++
			}
			if apart {
				of[kind+", apart"]++
			}
			t.Logf("%s, %s: %s, named %t, apart %t", name, m.what, kind, named, apart)
		}
		t.Logf("| %s | %d | %d | %d | %d | %d | %d | %d | %d |", name, of["mutants"], of["fails"], of["decision"],
			of["decision, named"], of["decision, apart"], of["told"], of["told, named"], of["nothing"])
		for kind, n := range of {
			found[kind] += n
		}
	}
	t.Log(found)
	if 100*found["decision, named"] < 95*found["decision"] || 100*found["decision, apart"] < 98*found["decision"] ||
		2*found["told, named"] < found["told"] {
		t.Error("too few are found")
	}
}

// tried says what a version of a built-in script changes, whether examine names a fault, and whether compare tells them
// apart.
func tried(t *testing.T, name, source string) (kind string, named, apart bool) {
	side, err := limiter.SpecOf(script.File{Name: name + ".lua", Read: func(file string) ([]byte, error) {
		if filepath.Ext(file) == ".lua" {
			return []byte(source), nil
		}
		return nil, fs.ErrNotExist
	}}, "")
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Start(t.Context(), engine.Spec{Redis: redis.KindAuto, Foreign: true, Clock: load.Wall})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	kind = "nothing"
	for _, text := range []string{"10/1m", "100/1m"} {
		l, err := side.At(policyOf(t, []string{text}))
		if err != nil {
			t.Fatal(err)
		}
		own, err := limiter.SpecOf(script.OnDisk(name), "")
		if err != nil {
			t.Fatal(err)
		}
		model, err := own.At(l.Policy)
		if err != nil {
			t.Fatal(err)
		}
		with, program := *l, *l.Program
		program.Foreign, program.TimeMoves = false, false // TIME stands still within a request, as for the model
		with.Program, with.NewModel = &program, model.NewModel
		switch k := differs(t, e, &with, uint64(len(source))); {
		case k == "":
			return "", false, false
		case kind == "nothing" || k == "decision":
			kind = k
		}
		if kind == "fails" || kind == "decision" {
			break
		}
	}
	asked := policyOf(t, []string{"100/1m"})
	x := Script{At: side.At, Asked: &asked, Engine: e}
	result, err := x.Examine(t.Context())
	if err != nil {
		return "", false, false
	}
	named = result.Faults() > 0
	base, err := limiter.SpecOf(script.OnDisk(name), "")
	if err != nil {
		t.Fatal(err)
	}
	var limits []limit.Policy
	for _, text := range strings.Split("1000/3s,10/1s,100/1h,333/1s,1000000/24h", ",") {
		limits = append(limits, policyOf(t, []string{text}))
	}
	c, err := (&run.Ask{Version: "test"}).Compare(t.Context(), e, base, side, limits)
	return kind, named, err != nil || c.Parts != nil
}
