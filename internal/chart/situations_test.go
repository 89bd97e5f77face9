package chart

import (
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"ratelab/algorithms"
	"ratelab/algorithms/algotest"
	"ratelab/internal/curves"
	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// traffic is the arrival times of a made-up scenario, in order.
type traffic struct {
	name, question string
	policy         limit.Policy
	duration       time.Duration
	arrivals       []int64
}

// evenly puts each second's requests evenly into it, from its start.
func evenly(perSecond ...int64) []int64 {
	var at []int64
	for second, n := range perSecond {
		for i := range n {
			at = append(at, int64(second)*1e6+i*1e6/n)
		}
	}
	return at
}

func caseOne() traffic {
	return traffic{"extreme-case-1", "Does 1000 per 3 s hold when demand peaks on both sides of a window's edge?",
		limit.Policy{Requests: 1000, Window: 3 * time.Second}, 6 * time.Second, evenly(10, 10, 980, 900, 100, 0)}
}

func caseTwo() traffic {
	return traffic{"extreme-case-2", "Does a full second at the start starve those that follow?",
		limit.Policy{Requests: 1000, Window: 3 * time.Second}, 4 * time.Second, evenly(1000, 300, 300, 300)}
}

// poisson gives about rate·duration arrivals with exponential gaps, from a fixed seed.
func poisson(rate func(second float64) float64, duration time.Duration) []int64 {
	random := rand.New(rand.NewPCG(1, 2))
	var at []int64
	for t := 0.0; ; {
		t += random.ExpFloat64() / rate(t)
		if t >= duration.Seconds() {
			return at
		}
		at = append(at, int64(t*1e6))
	}
}

// contender is a row: its label, and the algorithm that decides; without one nothing is admitted.
type contender struct{ label, as string }

type decider func(atUS int64) bool

// under decides requests of one key by the algorithm's model.
func (c contender) under(p limit.Policy) decider {
	if c.as == "" {
		return func(int64) bool { return false }
	}
	choice, err := algorithms.Parse(c.as)
	if err != nil {
		panic(err)
	}
	in, err := choice.Under(p)
	if err != nil {
		panic(err)
	}
	model := in.NewModel()
	return func(at int64) bool {
		return model.Decide(algotest.StartUS+at, algotest.StartUS+at, "k", 1).Allowed()
	}
}

// named are rows of the algorithms that their labels name.
func named(labels ...string) (all []contender) {
	for _, label := range labels {
		all = append(all, contender{label, label})
	}
	return all
}

// thirteen are the floor and twelve others.
var thirteen = named("none", "fixed-window", "fixed-window-aligned", "sliding-window-log", "sliding-window-counter",
	"sliding-window-buckets", "sliding-window-buckets:parts=30", "token-bucket-interval", "token-bucket-debt",
	"token-bucket", "gcra", "gcra:burst=100", "leaky-bucket")

// play runs the contenders over the traffic and collects the buckets as an observer would.
func play(t traffic, buckets int64, contenders ...contender) curves.Input {
	width := max((t.duration.Microseconds()+buckets-1)/buckets, 1)
	lengths := measure.TimeScales(t.policy.WindowUS())
	offered := observe(t, thirteen[0].under(t.policy), width, buckets)
	exact := observe(t, thirteen[3].under(t.policy), width, buckets)
	in := curves.Input{
		Version: "v1.0.0",
		Run: &result.Run{Scenario: t.name, Question: t.question, Seed: 1, Clock: "virtual", Keys: 1,
			DurationUS: t.duration.Microseconds(),
			TimeScales: &result.TimeScales{IntervalUS: lengths, Limit: measure.Allowed(t.policy, lengths)},
			Limit: result.Limit{Requests: t.policy.Requests, WindowUS: t.policy.WindowUS(),
				Burst: t.policy.Capacity()},
			Server: result.Server{Kind: "embedded", Name: "miniredis", Version: "2.40.0", Transport: "pipe"}},
		Traffic:   measure.Traffic{BucketUS: width, Offered: offered.Admitted},
		Reference: &exact,
	}
	for _, c := range contenders {
		in.Algorithms = append(in.Algorithms,
			curves.Limiter{Label: c.label, Series: observe(t, c.under(t.policy), width, buckets)})
		row := result.Row{Algorithm: c.label,
			Figures: measure.Figures{MostAdmitted: mostAdmitted(t, c.under(t.policy), lengths)}}
		if c.label != "none" {
			row.Bound = measure.Allowed(t.policy, lengths) // a bound like any other
		}
		in.Run.Results = append(in.Run.Results, row)
	}
	return in
}

func observe(t traffic, decide decider, width, buckets int64) measure.Series {
	s := measure.Series{BucketUS: width, Admitted: make([]int64, buckets), Rolling: make([]int64, buckets)}
	var window []int64
	next := 0
	for b := range buckets {
		window = trim(window, b*width-t.policy.WindowUS())
		s.Rolling[b] = int64(len(window))
		for ; next < len(t.arrivals) && t.arrivals[next] < (b+1)*width; next++ {
			at := t.arrivals[next]
			if decide(at) {
				window = append(trim(window, at-t.policy.WindowUS()), at)
				s.Admitted[b]++
				s.Rolling[b] = max(s.Rolling[b], int64(len(window)))
			}
		}
	}
	return s
}

// mostAdmitted is the most in any interval of each length, worked out one length after the other.
func mostAdmitted(t traffic, decide decider, lengths []int64) []int64 {
	var admitted []int64
	for _, at := range t.arrivals {
		if decide(at) {
			admitted = append(admitted, at)
		}
	}
	most := make([]int64, len(lengths))
	for i, length := range lengths {
		from := 0
		for to, at := range admitted {
			for admitted[from] <= at-length {
				from++
			}
			most[i] = max(most[i], int64(to-from+1))
		}
	}
	return most
}

func trim(window []int64, before int64) []int64 {
	for len(window) > 0 && window[0] <= before {
		window = window[1:]
	}
	return window
}

// situations are the inputs that a layout has to survive, each in its own way.
func situations() []curves.Input {
	all := thirteen
	return []curves.Input{
		play(caseOne(), 512, all...),
		play(caseTwo(), 400, all[:6]...),
		one(), four(), longQuestion(), day(), tenTimesOver(), nothingAdmitted(), oneBucket(), huge(), withNone(),
		fourteen(),
	}
}

func asked(t traffic, name, question string) traffic {
	t.name, t.question = name, question
	return t
}

func one() curves.Input {
	return play(asked(caseOne(), "one-algorithm", "What does a bucket of full size let through?"), 512,
		thirteen[10])
}

func four() curves.Input {
	list := thirteen
	return play(asked(caseOne(), "four-algorithms", caseOne().question), 512, list[2], list[3], list[4], list[10])
}

func fourteen() curves.Input {
	list := append(thirteen[:13:13], contender{"my-script", "sliding-window-buckets:parts=5"},
		contender{"token-bucket-interval:capacity=1000:refill=10:interval=30ms", "gcra:burst=300"})
	return play(asked(caseTwo(), "fourteen", "What if everything is asked for at once?"), 512, list...)
}

func longQuestion() curves.Input {
	t := asked(caseTwo(), "long-question", "Which algorithms admit more than the limit allows when "+
		strings.Repeat("a client that was idle for a long time comes back, sends its full burst at once and ", 3)+
		"then goes on?")
	return play(t, 512, thirteen[:5]...)
}

func day() curves.Input {
	rate := func(s float64) float64 { return 0.06 * (1 + 0.9*math.Sin(2*math.Pi*(s/86400-0.25))) }
	t := traffic{"daily-sine", "Does a limit per hour follow the rhythm of a day?",
		limit.Policy{Requests: 250, Window: time.Hour}, 24 * time.Hour, poisson(rate, 24*time.Hour)}
	return play(t, 512, thirteen[:12]...)
}

func tenTimesOver() curves.Input {
	t := traffic{"ten-times-over", "How much gets through when ten times the limit is asked?",
		limit.Policy{Requests: 100, Window: time.Second, Burst: 20}, 10 * time.Second,
		poisson(func(float64) float64 { return 1000 }, 10*time.Second)}
	return play(t, 500, thirteen...)
}

func nothingAdmitted() curves.Input {
	t := asked(caseTwo(), "nothing-admitted", "What if nobody is on the list of applications?")
	return play(t, 300, contender{label: "token-bucket"}, contender{"gcra", "gcra"})
}

func oneBucket() curves.Input {
	t := traffic{"one-bucket", "What is left of a burst that comes at one instant?",
		limit.Policy{Requests: 5, Window: time.Second}, time.Millisecond, make([]int64, 8)}
	return play(t, 1, thirteen[1:4]...)
}

func huge() curves.Input {
	in := play(asked(caseOne(), "huge-counts", "Are billions still legible?"), 512, thirteen[1:9]...)
	enlarge(in.Traffic.Offered)
	enlarge(in.Reference.Admitted, in.Reference.Rolling)
	for _, p := range in.Algorithms {
		enlarge(p.Series.Admitted, p.Series.Rolling)
	}
	in.Run.Limit.Requests *= 1_234_567
	return in
}

func enlarge(lists ...[]int64) {
	for _, list := range lists {
		for i := range list {
			list[i] *= 1_234_567
		}
	}
}

func withNone() curves.Input {
	in := play(asked(caseOne(), "none-alone", "What does the floor look like on its own?"), 128, thirteen[0])
	in.Run.Partial = true
	return in
}
