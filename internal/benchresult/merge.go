package benchresult

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// Merge is both results as one of more rounds: histograms are added, the rounds of the later one follow those of the
// earlier one, medians and the noise floor are taken again. It refuses what was not measured alike: another server,
// machine, setting, scenario or script, or other decisions. The one it returns shares nothing that changes with a or b.
func Merge(a, b *Document) (*Document, error) {
	if b.Started.Before(a.Started) {
		a, b = b, a
	}
	if err := sameCircumstances(a, b); err != nil {
		return nil, err
	}
	m := &merger{rounds: a.lastRound(), laterUS: b.Started.Sub(a.Started).Microseconds()}
	out := &Document{Header: m.header(&a.Header, &b.Header), Server: a.Server}
	for i := range a.Runs {
		out.Runs = append(out.Runs, m.run(&a.Runs[i], &b.Runs[i]))
	}
	control := map[string][]Sample{}
	for i := range a.Costs {
		cost := m.cost(&a.Costs[i], &b.Costs[i])
		if cost.Algorithm == Control {
			for _, mix := range cost.Mixes {
				control[mix.Mix] = mix.Samples
			}
		}
		out.Costs = append(out.Costs, cost)
	}
	for i := range out.Costs {
		for j := range out.Costs[i].Mixes {
			mix := &out.Costs[i].Mixes[j]
			if a.Costs[i].Mixes[j].RatioToControl != nil || b.Costs[i].Mixes[j].RatioToControl != nil {
				mix.RatioToControl = RatioToControl(mix.Samples, control[mix.Mix])
			}
		}
	}
	out.NoiseFloor = NoiseFloorOfCosts(out.Costs)
	if err := out.Check(); err != nil {
		return nil, fmt.Errorf("merged, the sums do not agree: %w", err)
	}
	return out, nil
}

// lastRound is the highest number of a round.
func (r *Document) lastRound() int {
	last := 0
	for i := range r.Runs {
		for j := range r.Runs[i].Rows {
			for _, round := range r.Runs[i].Rows[j].Rounds {
				last = max(last, round.Round)
			}
		}
	}
	for i := range r.Costs {
		for j := range r.Costs[i].Mixes {
			for _, s := range r.Costs[i].Mixes[j].Samples {
				last = max(last, s.Round)
			}
		}
	}
	return last
}

// sameCircumstances names the first thing in which the two differ.
func sameCircumstances(a, b *Document) error {
	if a.Started.Equal(b.Started) && reflect.DeepEqual(a.Machine, b.Machine) {
		return errors.New("both were started at the same instant: they are the same result, whose rounds would count twice")
	}
	settings := func(s Settings) Settings { s.Rounds, s.RepeatedRound = 0, 0; return s }
	for _, c := range []struct {
		what string
		a, b any
	}{
		{"servers", a.Server, b.Server}, {"machines", a.Machine, b.Machine}, {"generators", a.Generator, b.Generator},
		{"settings", settings(a.Settings), settings(b.Settings)},
	} {
		if !reflect.DeepEqual(c.a, c.b) {
			return fmt.Errorf("the %s differ (%s); merge what was measured alike, or compare them", c.what, difference(c.a, c.b))
		}
	}
	if len(a.Runs) != len(b.Runs) {
		return fmt.Errorf("one has %s, the other %s; merge what was measured alike", message.Count(len(a.Runs), "scenario"), message.Count(len(b.Runs), "scenario"))
	}
	for i := range a.Runs {
		if err := sameRun(&a.Runs[i], &b.Runs[i]); err != nil {
			return err
		}
	}
	return sameCosts(a.Costs, b.Costs)
}

func sameRun(a, b *Play) error {
	type circumstances struct {
		Scenario string       `json:"scenario"`
		SHA256   string       `json:"scenario_sha256"`
		OnLate   string       `json:"on_late"`
		Seed     uint64       `json:"seed"`
		Limit    result.Limit `json:"limit"`
		PlayedUS int64        `json:"played_us"`
	}
	of := func(r *Play) circumstances {
		return circumstances{r.Scenario, r.ScenarioSHA256, r.OnLate, r.Seed, r.Limit, r.PlayedUS}
	}
	if of(a) != of(b) {
		return fmt.Errorf("the scenarios differ (%s); merge what was measured alike", difference(of(a), of(b)))
	}
	if len(a.Rows) != len(b.Rows) {
		return fmt.Errorf("%s: one has %s, the other %s", message.Bare(a.Scenario), message.Count(len(a.Rows), "algorithm"), message.Count(len(b.Rows), "algorithm"))
	}
	for i := range a.Rows {
		x, y := &a.Rows[i], &b.Rows[i]
		if err := sameIdentity(&x.Identity, &y.Identity); err != nil {
			return fmt.Errorf("%s: %w", message.Bare(a.Scenario), err)
		}
		if !reflect.DeepEqual(x.Exact, y.Exact) {
			return fmt.Errorf("%s, %s: the decisions differ; compare the two instead", message.Bare(a.Scenario), message.Bare(x.Algorithm))
		}
	}
	return nil
}

func sameIdentity(a, b *Identity) error {
	switch {
	case a.Algorithm != b.Algorithm:
		return fmt.Errorf("the algorithms differ: %s and %s", message.Quote(a.Algorithm), message.Quote(b.Algorithm))
	case a.ScriptSHA1 != b.ScriptSHA1 || !maps.Equal(a.Parameters, b.Parameters):
		return fmt.Errorf("%s is not the same script with the same parameters in both; compare the two instead", message.Bare(a.Algorithm))
	}
	return nil
}

func sameCosts(a, b []Cost) error {
	if len(a) != len(b) {
		return fmt.Errorf("one has the cost of %s, the other of %s", message.Count(len(a), "algorithm"), message.Count(len(b), "algorithm"))
	}
	for i := range a {
		if err := sameIdentity(&a[i].Identity, &b[i].Identity); err != nil {
			return err
		}
		mixes := func(c *Cost) (names []string) {
			for _, m := range c.Mixes {
				names = append(names, m.Mix)
			}
			for _, l := range c.Sweep {
				names = append(names, fmt.Sprint(l.Connections))
			}
			return names
		}
		if !slices.Equal(mixes(&a[i]), mixes(&b[i])) {
			return fmt.Errorf("cost of %s: the mixes or the sweeps differ", message.Bare(a[i].Algorithm))
		}
		if !slices.Equal(a[i].Memory, b[i].Memory) {
			return fmt.Errorf("cost of %s: the memory differs, which the same script on the same server cannot", message.Bare(a[i].Algorithm))
		}
	}
	return nil
}
