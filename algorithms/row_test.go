package algorithms

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"ratelab/algorithms/algotest"
	"ratelab/internal/limit"
)

// A row with a limit of its own decides and promises what the algorithm does where that is the limit, and says so.
func TestARowGoesByItsOwnLimit(t *testing.T) {
	contest := limit.Policy{Requests: 1000, Window: 3 * time.Second, Burst: 50}
	for _, test := range []struct {
		row string
		own limit.Policy
	}{
		{":limit=333:per=1s", limit.Policy{Requests: 333, Window: time.Second}},
		{":limit=20", limit.Policy{Requests: 20, Window: 3 * time.Second}},
		{":per=100ms", limit.Policy{Requests: 1000, Window: 100 * time.Millisecond}},
	} {
		for _, name := range Names() {
			if name == "none" {
				continue
			}
			row, plain := instanceOf(t, name+test.row, contest), instanceOf(t, name, test.own)
			if row.Policy != test.own || row.Label != name+test.row {
				t.Errorf("%s goes by %v, want %v", row.Label, row.Policy, test.own)
			}
			parameters := maps.Clone(plain.Parameters)
			parameters["limit"] = fmt.Sprint(test.own.Requests)
			parameters["per"] = limit.FormatDuration(test.own.Window)
			if !maps.Equal(row.Parameters, parameters) {
				t.Errorf("%s has the parameters %v, want %v", row.Label, row.Parameters, parameters)
			}
			for _, us := range []int64{1, 999_999, 1_000_000, 3_000_000, 60_000_000} {
				if got, want := row.MostAdmitted(us, 3), plain.MostAdmitted(us, 3); got != want {
					t.Errorf("%s promises %d in %d us, want %d", row.Label, got, us, want)
				}
			}
			requests, want := algotest.RandomRequests(rand.New(rand.NewPCG(1, 2)), test.own, plain.NewModel())
			l := row.NewModel()
			for i, q := range requests {
				if got := limit.Ask(l, algotest.StartUS, &q); got != want[i] {
					t.Fatalf("%s, request %d: %+v, want %+v", row.Label, i, got, want[i])
				}
			}
		}
	}
}

// Gateways decide as limiters that know nothing of each other, of which the balancer asks one after the other.
func TestGatewaysDecideAsLimitersOfTheirOwn(t *testing.T) {
	p := limit.Policy{Requests: 7, Window: 100 * time.Millisecond}
	for _, name := range Names() {
		if name == "none" {
			continue
		}
		for _, balancer := range []string{"round-robin", "random"} {
			choice, err := Parse(name + ":nodes=3:balancer=" + balancer)
			if err != nil {
				t.Fatal(err)
			}
			in, err := choice.Seeded(5).Under(p)
			if err != nil {
				t.Fatal(err)
			}
			plain := instanceOf(t, name, p)
			alone := []limit.Model{plain.NewModel(), plain.NewModel(), plain.NewModel()}
			l, random, nowUS := in.NewModel(), rand.New(rand.NewPCG(3, 4)), algotest.StartUS
			for i := range 2000 {
				nowUS += random.Int64N(6000)
				node, key := int64(i%3), fmt.Sprint("k", random.IntN(2))
				if balancer == "random" {
					node = in.Gateways.Node(uint64(i))
				}
				cost := 1 + random.Int64N(2)
				asked := l.Fork(key)
				want := alone[node].Decide(nowUS, nowUS, key, cost)
				if got := asked.Decide(nowUS, nowUS, key, cost); got != want {
					t.Fatalf("%s, request %d to a fork: %+v, want %+v", in.Label, i, got, want)
				}
				if got := l.Decide(nowUS, nowUS, key, cost); got != want {
					t.Fatalf("%s, request %d: %+v, want %+v", in.Label, i, got, want)
				}
			}
			for _, us := range []int64{1, 100_000, 350_000} {
				if got, want := in.MostAdmitted(us, 2), 3*plain.MostAdmitted(us, 2); got != want {
					t.Errorf("%s promises %d in %d us, want %d", in.Label, got, us, want)
				}
			}
		}
	}
}

// What is drawn depends on seed and number alone, and gives each node its share: of 30,000 requests 10,000, with a
// standard deviation of 82.
func TestTheBalancerDrawsEvenly(t *testing.T) {
	one, two := &Gateways{Nodes: 3, Random: true, Seed: 1}, &Gateways{Nodes: 3, Random: true, Seed: 2}
	var counts [3]int
	var repeats, alike int
	for i := range uint64(30_000) {
		node := one.Node(i)
		counts[node]++
		if node == one.Node(i+1) {
			repeats++
		}
		if node == two.Node(i) {
			alike++
		}
	}
	for _, n := range []int{counts[0], counts[1], counts[2], repeats, alike} {
		if n < 9600 || n > 10_400 {
			t.Errorf("%d requests for each node, %d for the same as the one before, and %d as with another seed; "+
				"want 10000", counts, repeats, alike)
			break
		}
	}
}
