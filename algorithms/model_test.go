package algorithms

import (
	"testing"

	"pgregory.net/rapid"

	"ratelab/algorithms/algotest"
	"ratelab/internal/limit"
)

// question is one question to a model whose clocks may disagree.
type question struct {
	serverUS, clientUS int64
	key                string
	cost               int64
}

func (a question) of(l limit.Model) limit.Decision {
	return l.Decide(a.serverUS, a.clientUS, a.key, a.cost)
}

// drawQuestions draws some about two keys, or one, by clocks that go on from the given time, jump and disagree.
func drawQuestions(t *rapid.T, p limit.Policy, fromUS int64, keys ...string) []question {
	w, at := p.WindowUS(), fromUS
	var all []question
	for range rapid.IntRange(0, 20).Draw(t, "questions") {
		at += rapid.Int64Range(0, w).Draw(t, "pause")
		if rapid.IntRange(0, 5).Draw(t, "steps") == 0 {
			at += rapid.Int64Range(-3*w, 3*w).Draw(t, "step")
		}
		skew := rapid.SampledFrom([]int64{0, 0, -w, w, w / 3}).Draw(t, "skew")
		all = append(all, question{at, at + skew, rapid.SampledFrom(keys).Draw(t, "key"), drawCost(t, p)})
	}
	return all
}

// decideAll makes a model that has answered the questions.
func decideAll(in Rule, questions []question) limit.Model {
	l := in.NewModel()
	for _, q := range questions {
		q.of(l)
	}
	return l
}

// A fork decides as the original would, and what it is asked changes nothing in the original.
func TestAForkDecidesAsTheOriginalAndChangesNothing(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in, p := drawInstance(t, name)
				past := drawQuestions(t, p, algotest.StartUS, "a", "b")
				original, untouched, twin := decideAll(in, past), decideAll(in, past), decideAll(in, past)
				fork := original.Fork("a")
				for i, q := range drawQuestions(t, p, algotest.StartUS, "a") {
					if got, want := q.of(fork), q.of(twin); got != want {
						t.Fatalf("question %d, %+v: the fork %+v; the original would %+v", i, q, got, want)
					}
				}
				for i, q := range drawQuestions(t, p, algotest.StartUS, "a", "b") {
					if got, want := q.of(original), q.of(untouched); got != want {
						t.Fatalf("question %d, %+v, after a fork was asked: %+v; else %+v", i, q, got, want)
					}
				}
			})
		})
	}
}
