package traffic

import (
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
