package simchart

import (
	"math"
	"strings"
	"time"

	"ratelab/internal/curves"
	"ratelab/internal/limit"
)

// situations are the inputs that a layout has to survive, each in its own way.
func situations() []curves.Input {
	all := twelve(1000)
	return []curves.Input{
		play(caseOne(), 512, all...),
		play(caseTwo(), 400, all[:6]...),
		one(), four(), longQuestion(), day(), tenTimesOver(), nothingAdmitted(), oneBucket(), huge(), withNone(),
		fourteen(),
	}
}

func named(t traffic, name, question string) traffic {
	t.name, t.question = name, question
	return t
}

func one() curves.Input {
	return play(named(caseOne(), "one-algorithm", "What does a bucket of full size let through?"), 512,
		twelve(1000)[10])
}

func four() curves.Input {
	list := twelve(1000)
	return play(named(caseOne(), "four-algorithms", caseOne().question), 512, list[2], list[3], list[4], list[10])
}

func fourteen() curves.Input {
	list := append(twelve(1000), contender{"my-script", subWindows(5)},
		contender{"token-bucket-interval:capacity=1000:refill=10:interval=30ms", theoretical(300)})
	return play(named(caseTwo(), "fourteen", "What if everything is asked for at once?"), 512, list...)
}

func longQuestion() curves.Input {
	t := named(caseTwo(), "long-question", "Which algorithms admit more than the limit allows when "+
		strings.Repeat("a client that was idle for a long time comes back, sends its full burst at once and ", 3)+
		"then goes on?")
	return play(t, 512, twelve(1000)[:5]...)
}

func day() curves.Input {
	rate := func(s float64) float64 { return 0.06 * (1 + 0.9*math.Sin(2*math.Pi*(s/86400-0.25))) }
	t := traffic{"daily-sine", "Does a limit per hour follow the rhythm of a day?",
		limit.Policy{Requests: 250, Window: time.Hour}, 24 * time.Hour, poisson(rate, 24*time.Hour)}
	return play(t, 512, twelve(250)[:12]...)
}

func tenTimesOver() curves.Input {
	t := traffic{"ten-times-over", "How much gets through when ten times the limit is asked?",
		limit.Policy{Requests: 100, Window: time.Second, Burst: 20}, 10 * time.Second,
		poisson(func(float64) float64 { return 1000 }, 10*time.Second)}
	return play(t, 500, twelve(20)...)
}

func nothingAdmitted() curves.Input {
	nothing := contender{"token-bucket", func(limit.Policy) decider { return func(int64) bool { return false } }}
	t := named(caseTwo(), "nothing-admitted", "What if nobody is on the list of applications?")
	return play(t, 300, nothing, contender{"gcra", theoretical(1000)})
}

func oneBucket() curves.Input {
	t := traffic{"one-bucket", "What is left of a burst that comes at one instant?",
		limit.Policy{Requests: 5, Window: time.Second}, time.Millisecond, make([]int64, 8)}
	return play(t, 1, twelve(5)[1:4]...)
}

func huge() curves.Input {
	in := play(named(caseOne(), "huge-counts", "Are billions still legible?"), 512, twelve(1000)[1:9]...)
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
	in := play(named(caseOne(), "none-alone", "What does the floor look like on its own?"), 128, twelve(1000)[0])
	in.Run.Partial = true
	return in
}
