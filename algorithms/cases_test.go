package algorithms

import (
	"testing"

	"ratelab/algorithms/algotest"
	"ratelab/internal/limit"
)

// Two demands under 1000 per 3 s: the requests of each second come evenly spread from its start.
var (
	caseOne = []int64{10, 10, 980, 900, 100, 0}
	caseTwo = []int64{1000, 300, 300, 300}
)

// What each algorithm admits of the two, and the most that it admits in any 3 s.
func TestTheTwoWorkedCases(t *testing.T) {
	p := policy(t, "1000/3s")
	for _, row := range []struct {
		label                              string
		admitted1, peak1, admitted2, peak2 int64
	}{
		{"none", 2000, 1980, 1900, 1600},
		{"sliding-window-log", 1020, 1000, 1300, 1000},
		{"fixed-window", 1999, 1979, 1299, 1000}, // expires one ms after its last alive one
		{"fixed-window-aligned", 2000, 1980, 1300, 1000},
		{"sliding-window-counter", 1432, 1412, 1299, 1000},
		{"sliding-window-buckets", 1018, 1000, 1210, 1000},
		{"gcra", 1785, 1765, 1900, 1600},
		{"token-bucket", 1785, 1765, 1900, 1600},
		{"leaky-bucket", 1785, 1765, 1900, 1600},
		{"gcra:burst=100", 885, 865, 1332, 1032},
		{"token-bucket:burst=100", 885, 865, 1332, 1032},
		{"token-bucket-interval", 2000, 1980, 1300, 1000},
		{"token-bucket-debt", 2000, 1980, 1300, 1000}, // at cost 1 nobody runs into debt
	} {
		for _, c := range []struct {
			name           string
			perSecond      []int64
			admitted, peak int64
		}{{"case 1", caseOne, row.admitted1, row.peak1}, {"case 2", caseTwo, row.admitted2, row.peak2}} {
			admitted := replay(modelOf(t, row.label, p), c.perSecond)
			if got, peak := int64(len(admitted)), peakOf(admitted, p.WindowUS()); got != c.admitted || peak != c.peak {
				t.Errorf("%s, %s: admitted %d, peak %d; want %d, %d", row.label, c.name, got, peak, c.admitted, c.peak)
			}
		}
	}
}

// replay gives the times of the admitted requests.
func replay(l limit.Model, perSecond []int64) []int64 {
	var admitted []int64
	for second, n := range perSecond {
		for i := range n {
			at := int64(second)*1_000_000 + i*1_000_000/n
			if l.Decide(algotest.StartUS+at, algotest.StartUS+at, "k", 1).Allowed() {
				admitted = append(admitted, at)
			}
		}
	}
	return admitted
}

// peakOf is the largest number of times in any (t − window, t].
func peakOf(times []int64, windowUS int64) int64 {
	peak, first := 0, 0
	for i, at := range times {
		for times[first] <= at-windowUS {
			first++
		}
		peak = max(peak, i-first+1)
	}
	return int64(peak)
}
