package algorithms

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"ratelab/algorithms/algotest"
)

// One key, at twice the rate of its limit: half of the requests are admitted.
func BenchmarkModelOneKey(b *testing.B) {
	for _, name := range Names() {
		b.Run(name, func(b *testing.B) {
			l, at := modelOf(b, name, policy(b, "1000/3s")), algotest.StartUS
			for b.Loop() {
				at += 1500
				l.Decide(at, at, "k", 1)
			}
			perSecond(b)
		})
	}
}

// A million keys in random order: what a decision costs where no cache holds the keys.
func BenchmarkModelMillionKeys(b *testing.B) {
	for _, name := range []string{"gcra", "fixed-window", "token-bucket"} {
		b.Run(name, func(b *testing.B) {
			decide := asked(b, name, millionKeys())
			for b.Loop() {
				decide()
			}
			perSecond(b)
		})
	}
}

func millionKeys() []string {
	keys := make([]string, 1_000_000)
	for i := range keys {
		keys[i] = "client-" + strconv.Itoa(i)
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys
}

// asked decides for each of the keys in turn, all of which it knows already.
func asked(b *testing.B, name string, keys []string) func() {
	l, at, i := modelOf(b, name, policy(b, "100/1h")), algotest.StartUS, 0
	for _, key := range keys {
		l.Decide(at, at, key, 1)
	}
	return func() {
		at++
		l.Decide(at, at, keys[i], 1)
		if i++; i == len(keys) {
			i = 0
		}
	}
}

func perSecond(b *testing.B) {
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
	b.ReportMetric(0, "ns/op")
}
