package bench

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/replay"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
)

// planOf needs no server: nothing is run.
func planOf(t *testing.T, change func(*Job)) (*plan, error) {
	t.Helper()
	j := &Job{Scenarios: []*scenario.Scenario{written(t, small)}, Server: "process", Algorithms: choices(t, "gcra"),
		Rounds: DefaultRounds, WarmUp: DefaultWarmUp, Connections: DefaultConnections}
	change(j)
	return j.plan()
}

// The control is the first of all limiters, whether it is named or not.
func TestTheControlIsFirst(t *testing.T) {
	p, err := planOf(t, func(j *Job) { j.Algorithms = nil })
	if err != nil {
		t.Fatal(err)
	}
	all := p.plays[0].Limiters
	last := len(all) - 1
	if last != 6 || all[last].Label != "sliding-window-log" ||
		!algorithms.IsFloor(all[0].Label) || algorithms.IsFloor(all[1].Label) {
		t.Errorf("%d limiters, from %q to %q", len(all), all[0].Label, all[last].Label)
	}
}

func TestLimitAndSeedReplaceTheScenarios(t *testing.T) {
	seed := uint64(7)
	p, err := planOf(t, func(j *Job) { j.Limit, j.Seed = &limit.Policy{Requests: 3, Window: time.Second}, &seed })
	if err != nil || p.plays[0].Policy.Requests != 3 || p.plays[0].Seed != 7 {
		t.Errorf("%+v, %v", p.plays[0], err)
	}
}

// Whatever is wrong is told at once, each mistake on a line.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		change func(*Job)
		want   string
	}{
		{func(j *Job) { j.Algorithms = choices(t, "gcra:nodes=4") },
			"gcra:nodes=4: several gateways work only with simulate; a call costs the same on each " +
				"of them: leave out nodes"},
		{func(j *Job) { j.Algorithms = choices(t, "gcra", "gcra") }, `algorithm "gcra" is named twice`},
	} {
		_, err := planOf(t, c.change)
		var bad *replay.InputError
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
	_, err := planOf(t, func(j *Job) { j.Algorithms, j.Server = choices(t, "gcra", "gcra"), "model" })
	if err == nil || len(strings.Split(err.Error(), "\n")) != 2 {
		t.Errorf("got %v, want two lines", err)
	}
}

// A folder with my.lua and its binding, gcra.lua without one, and odd.lua without one.
func scriptFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"my.lua": "return 1", "my.yaml": `{keys: ["rl:{key}"], args: ["{limit}"], admitted: [1]}`,
		"gcra.lua": "return {1, 0, 0, 0}", "odd.lua": "return 1",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// side is a limiter by its name, called as another is if that is not empty.
func side(t testing.TB, name, as string) *limiter.Spec {
	t.Helper()
	s, err := limiter.SpecOf(script.OnDisk(name), as)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSides(t *testing.T) {
	dir := scriptFolder(t) + string(filepath.Separator)
	for _, c := range []struct{ name, as, label string }{
		{dir + "my.lua", "", "my"},
		{dir + "gcra.lua", "", "gcra"},
		{dir + "odd.lua", "gcra:burst=5", "gcra:burst=5"},
		{dir + "my.lua", "token-bucket", "token-bucket"},
		{"gcra:burst=7", "", "gcra:burst=7"},
	} {
		if made, err := side(t, c.name, c.as).At(bytesLimit); err != nil || made.Label != c.label {
			t.Errorf("%+v makes %+v, %v", c, made, err)
		}
	}
	e, _ := side(t, dir+"gcra.lua", "").At(bytesLimit)
	if e.Program.Source != "return {1, 0, 0, 0}" || e.File != dir+"gcra.lua" {
		t.Errorf("the file's own source is not what runs: %+v", e)
	}
}

func TestEveryBuiltinScenarioCanBeCompared(t *testing.T) {
	c := &Comparison{Sides: [2]*limiter.Spec{side(t, "gcra", ""), side(t, "token-bucket", "")}}
	p, err := c.plan()
	if err != nil {
		t.Fatal(err)
	}
	if len(p.plans) != len(plain(t))+4 || len(p.plans[0].Limiters) != 2 || len(p.leftOut) > 0 {
		t.Errorf("%d scenarios, want %d; left out are %q", len(p.plans), len(plain(t))+4, p.leftOut)
	}
}

// plain are the built-in scenarios in which nothing happens but what their phases say.
func plain(t *testing.T) []*scenario.Scenario {
	t.Helper()
	all, err := scenario.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(s *scenario.Scenario) bool {
		return !s.Plain() || s.RequestsEnd()
	})
}
