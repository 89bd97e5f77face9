package run_test

import (
	"encoding/csv"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/replay"
)

// The rows that a scenario names are played beside all algorithms, and -a replaces them.
func TestAScenarioNamesFurtherRows(t *testing.T) {
	s := evenly(t, "steady", 10, `rows: ["gcra:per=2s:limit=3", "fixed-window:nodes=2"]`)
	j := job(s)
	labels := labelsOf(run(t, j).Document.Runs[0])
	for _, want := range []string{"fixed-window", "fixed-window:nodes=2", "gcra", "gcra:limit=3:per=2s"} {
		if !slices.Contains(labels, want) {
			t.Errorf("there is no row %s, but %q", want, labels)
		}
	}
	j.Algorithms = choices(t, "gcra:limit=3:per=2s", "none")
	if got := labelsOf(run(t, j).Document.Runs[0]); !slices.Equal(got, []string{"gcra:limit=3:per=2s", "none"}) {
		t.Errorf("-a plays %q", got)
	}
}

// What is wrong with a row is told with its place.
func TestFurtherRowsThatCannotBe(t *testing.T) {
	s := evenly(t, "steady", 10, `rows: ["gcra:brust=1", "gcra:per=1s:limit=3", "gcra:limit=3:per=1s", "none:limit=1"]`+
		"\nparameters: {gcra: {nodes: 2}}\n")
	_, err := job(s).Plans()
	var bad *replay.InputError
	if !errors.As(err, &bad) {
		t.Fatal(err)
	}
	for _, want := range []string{
		`steady.yaml:6:8: rows: gcra: no such parameter "brust"`,
		`steady.yaml:6:47: rows: there would be two rows named "gcra:limit=3:per=1s"`,
		`steady.yaml:6:70: rows: none: no such parameter "limit"; it has none`,
		`steady: parameters: gcra: nodes belongs to a single row and has no default; name a row gcra:nodes=2 instead`,
	} {
		if strings.Count(err.Error(), want) != 1 {
			t.Errorf("%s is not told once in:\n%v", want, err)
		}
	}
}

// A row with a limit or gateways of its own is measured for each client by the limit of the scenario: its decisions
// give the same figures when they are added up the slow way.
func TestRowsAreMeasuredByTheScenariosLimit(t *testing.T) {
	s := written(t, `name: uneven
question: What is measured of rows with limits of their own?
limit: {requests: 20, per: 500ms}
keys: {count: 3, distribution: zipf, exponent: 1.1}
phases:
  - {name: random, duration: 5s, poisson: 200/s}
`)
	labels := []string{"fixed-window:limit=4:per=100ms", "gcra:limit=9:per=2s", "sliding-window-log:limit=5:nodes=4",
		"sliding-window-log:nodes=4:limit=5:balancer=random", "fixed-window-aligned:nodes=3"}
	j := job(s)
	j.Algorithms = choices(t, labels...)
	out, join := collect(t, j)
	r := run(t, j).Document.Runs[0]
	join()
	lines, err := csv.NewReader(out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) int { return slices.Index(lines[0], name) }
	for _, label := range labels {
		label = choices(t, label)[0].Label
		got := rowOf(t, r, label)
		var all []limit.Request
		allowed := map[int]bool{}
		for _, line := range lines[1:] {
			if line[column("algorithm")] != label {
				continue
			}
			at, err := strconv.ParseInt(line[column("t_us")], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			if key := line[column("key")]; !slices.Contains([]string{"k0", "k1", "k2"}, key) {
				t.Fatalf("%s: a decision about %q", label, key)
			}
			allowed[len(all)] = line[column("allowed")] == "1"
			all = append(all, limit.Request{AtUS: at, Key: line[column("key")]})
		}
		peak, excess, lost := slowly(all, allowed, 20, 500_000)
		if got.Peak != peak || got.Excess != excess || got.Lost != lost {
			t.Errorf("%s: peak %d, excess %d, lost %v; added up slowly %d, %d, %v", label, got.Peak,
				got.Excess, got.Lost, peak, excess, lost)
		}
		if len(all) == 0 || peak == 0 {
			t.Errorf("%s: nothing was measured", label)
		}
	}
}

// slowly is the peak in any window, what an exact limiter behind would refuse, and what one in this place would have
// let through of each key beyond what this one does within the limit.
func slowly(all []limit.Request, allowed map[int]bool, most, windowUS int64) (peak, excess int64, lost float64) {
	held := func(taken map[int]bool, i int) (n int64) {
		for k := range i + 1 {
			if taken[k] && all[k].Key == all[i].Key && all[k].AtUS > all[i].AtUS-windowUS {
				n++
			}
		}
		return n
	}
	within, exact, missing := map[int]bool{}, map[int]bool{}, map[string]int64{}
	total := 0.0
	for i, q := range all {
		if exact[i] = held(exact, i) < most; exact[i] {
			missing[q.Key]++
			total++
		}
		if !allowed[i] {
			continue
		}
		missing[q.Key]--
		peak = max(peak, held(allowed, i))
		if within[i] = held(within, i) < most; !within[i] {
			excess++
		}
	}
	for _, n := range missing {
		lost += float64(max(0, n))
	}
	return peak, excess, lost / total
}

// Clients that react meet the gateways too, with and without local flags: the script on a server decides every attempt
// as the model, in which a local rejection takes no turn.
func TestClientsReactToGateways(t *testing.T) {
	for _, balancer := range []string{"round-robin", "random"} {
		s := written(t, `name: crowd
question: What do clients make of four gateways?
limit: {requests: 40, per: 500ms}
phases:
  - {name: crowd, duration: 2s, poisson: 200/s}
clients: {count: 5, on_reject: obey, attempts: 3, delay: {uniform: [1ms, 8ms]}, local_flag: true}
`)
		j := job(s)
		j.Server = redis.KindEmbedded
		j.Algorithms = choices(t, "fixed-window:limit=10:nodes=4:balancer="+balancer)
		r := run(t, j).Document.Runs[0]
		if len(r.Results) != 2 || r.Results[0].Admitted == 0 || r.Results[1].LocalFlag.LocalRejects == 0 {
			t.Errorf("%s: %+v", balancer, r.Results)
		}
	}
}

// A chart's highest value is the table's peak, and its sum what was admitted: of a shaper as well, whose departures go
// on after the last request.
func TestChartsAgreeWithTheTable(t *testing.T) {
	result := run(t, job(builtinScenarios(t, "aligned-window-worst", "extreme-case-1", "mixed-costs", "poisson")...))
	for _, in := range result.Charts {
		for i, row := range in.Run.Results {
			series, sum := in.Algorithms[i].Series, int64(0)
			for _, n := range series.Admitted {
				sum += n
			}
			if slices.Max(series.Rolling) != row.Peak || sum != row.AdmittedCost {
				t.Errorf("%s, %s: the chart has a peak of %d and %d admitted, the table %d and %d", in.Run.Scenario,
					row.Algorithm, slices.Max(series.Rolling), sum, row.Peak, row.AdmittedCost)
			}
		}
	}
}
