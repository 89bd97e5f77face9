package traffic

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"ratelab/internal/limit"
)

// requests plays a stream to its end and holds it to what limit.Request promises.
func requests(t testing.TB, s *Stream) []limit.Request {
	t.Helper()
	var all []limit.Request
	for r, err := range s.Requests() {
		if err != nil {
			t.Fatal(err)
		}
		if r.Cost < 1 || r.Key == "" || r.AtUS < 0 || len(all) > 0 && r.AtUS < all[len(all)-1].AtUS {
			t.Fatalf("request %+v after %d others", r, len(all))
		}
		all = append(all, r)
	}
	return all
}

// crowd is a phase in which everything is drawn at random.
func crowd(name string, cost Cost) Phase {
	return Phase{Name: name, Duration: 10 * time.Second, Arrivals: Poisson{rate(50, time.Second)},
		Keys: Zipf{Count: 100, Exponent: 1}, Cost: cost}
}

// TestPhasesFollowOneAnother, each half-open: the second begins on the first one's end.
func TestPhasesFollowOneAnother(t *testing.T) {
	s := Compile(1, []Phase{
		{Name: "a", Duration: time.Second, Arrivals: Steady{rate(2, time.Second)}},
		{Name: "b", Arrivals: Burst{Size: 1}},
		{Name: "c", Duration: time.Second, Arrivals: Steady{rate(1, time.Second)}, Keys: Sequential{Count: 2},
			Cost: FixedCost(5)},
	})
	want := []limit.Request{
		{AtUS: 0, Key: "k0", Cost: 1}, {AtUS: 500000, Key: "k0", Cost: 1},
		{AtUS: 1000000, Key: "k0", Cost: 1},
		{AtUS: 1000000, Key: "k0", Cost: 5},
	}
	if got := requests(t, s); !slices.Equal(got, want) {
		t.Errorf("requests %v, want %v", got, want)
	}
	if d, known := s.Duration(); d != 2*time.Second || !known {
		t.Errorf("duration %v, %v", d, known)
	}
	if n, known := s.Count(); n != 4 || !known {
		t.Errorf("count %d, %v", n, known)
	}
}

func TestSamePassTwice(t *testing.T) {
	s := Compile(3, []Phase{crowd("a", nil), crowd("b", UniformCost{1, 10})})
	if !slices.Equal(requests(t, s), requests(t, s)) {
		t.Error("two passes over one stream differ")
	}
	if slices.Equal(requests(t, s), requests(t, Compile(4, []Phase{crowd("a", nil), crowd("b", UniformCost{1, 10})}))) {
		t.Error("another seed makes the same stream")
	}
}

// TestStreamsAreIndependent: neither another cost distribution nor a phase more moves an arrival or a key.
func TestStreamsAreIndependent(t *testing.T) {
	plain := requests(t, Compile(3, []Phase{crowd("a", nil)}))
	costly := requests(t, Compile(3, []Phase{crowd("a", UniformCost{1, 10})}))
	later := requests(t, Compile(3, []Phase{crowd("other", nil), crowd("a", nil)}))
	later = later[len(later)-len(plain):]
	different := false
	for i, r := range plain {
		if costly[i].AtUS != r.AtUS || costly[i].Key != r.Key {
			t.Fatalf("request %d: %v, with another cost distribution %v", i, r, costly[i])
		}
		if later[i].AtUS != r.AtUS+10e6 || later[i].Key != r.Key {
			t.Fatalf("request %d: %v, after another phase %v", i, r, later[i])
		}
		different = different || costly[i].Cost != r.Cost
	}
	if !different {
		t.Error("the cost distribution has no effect")
	}
}

// TestStreamIsPinned: results under results/ hang on these bytes. If this fails, every committed figure of a
// random scenario changes: do not accept it lightly.
func TestStreamIsPinned(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("pinned on amd64; elsewhere the last bit of a logarithm may differ")
	}
	h := sha256.New()
	for _, r := range requests(t, Compile(1, []Phase{crowd("a", WeightedCost{{1, 0.9}, {50, 0.1}}),
		{Name: "b", Duration: time.Second, Arrivals: Spike(100), Keys: Hot{Count: 10, Keys: 1, Share: 0.5}},
		{Name: "c", Duration: 9 * time.Second,
			Arrivals: Sine{rate(9, time.Second), rate(5, time.Second), 5 * time.Second}}})) {
		fmt.Fprintln(h, r.AtUS, r.Key, r.Cost)
	}
	const want = "755c0c895f641378"
	if got := fmt.Sprintf("%x", h.Sum(nil)[:8]); got != want {
		t.Errorf("the stream's hash is %s, want %s", got, want)
	}
}

// TestConsumerMayStop at any request.
func TestConsumerMayStop(t *testing.T) {
	s := Compile(1, []Phase{crowd("a", nil), crowd("b", nil)})
	n := 0
	for range s.Requests() {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 || s.Notes() != nil {
		t.Errorf("%d requests, notes %v", n, s.Notes())
	}
}

func BenchmarkStream(b *testing.B) {
	forever := 366 * 24 * time.Hour
	for _, p := range []Phase{
		{Name: "constant", Duration: forever, Arrivals: Steady{rate(1, 3*time.Microsecond)}},
		{Name: "poisson", Duration: forever, Arrivals: Poisson{rate(400, time.Second)}},
		{Name: "poisson-million-keys", Duration: forever, Arrivals: Poisson{rate(400, time.Second)},
			Keys: Uniform{Count: 1_000_000}},
		{Name: "poisson-zipf", Duration: forever, Arrivals: Poisson{rate(400, time.Second)},
			Keys: Zipf{Count: 1_000_000, Exponent: 0.99}},
	} {
		b.Run(p.Name, func(b *testing.B) {
			n := 0
			for r := range Compile(1, []Phase{p}).Requests() {
				if sink = r.AtUS; n == b.N {
					break
				}
				n++
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
		})
	}
}
