package benchmarktest

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
)

// profile has the costs and the decisions of one made-up algorithm.
type profile struct {
	label                string
	parameters           map[string]string
	admittedUS           float64 // the server's µs per decision
	rejectedUS           float64
	callsAdmitted        float64
	callsRejected        float64
	bytes                func(entries int64) int64
	admits, stormAdmits  int64 // requests that a round of each situation admits
	peak, stormPeak      int64
	falseAdmits, rejects int64 // in ten-times-over
	stormRejects         int64
}

// profiles returns the profiles in the order of the document, the control first. The decisions equal those of the real
// algorithms.
func profiles() []profile {
	flat := func(bytes int64) func(int64) int64 { return func(int64) int64 { return bytes } }
	perEntry := func(n int64) int64 { return 112 + 21*n }
	set := map[string]string{"granularity": "1us", "time": "server"}
	with := func(burst string) map[string]string {
		return map[string]string{"burst": burst, "granularity": "1us", "time": "server"}
	}
	return []profile{
		{"none", map[string]string{}, 4.1, 4.1, 0, 0, nil, 6660, 1500, 3330, 500, 5994, 0, 0},
		{"fixed-window", map[string]string{}, 7.9, 6.2, 3, 2, flat(72), 666, 200, 333, 100, 4, 4, 100},
		{"fixed-window-aligned", set, 9.6, 8.1, 3, 2, flat(88), 666, 300, 333, 100, 0, 0, 0},
		{"sliding-window-counter", set, 12.2, 10.6, 4, 3, flat(168), 665, 200, 333, 100, 299, 300, 100},
		{"sliding-window-log", set, 18.4, 13.9, 5, 4, perEntry, 666, 300, 333, 100, 0, 0, 0},
		{"gcra", with("333"), 10.3, 8.8, 3, 2, flat(80), 998, 300, 665, 100, 631, 299, 0},
		{"gcra:burst=50", with("50"), 10.4, 8.8, 3, 2, flat(80), 715, 200, 382, 100, 332, 283, 100},
	}
}

func (p *profile) isControl() bool { return p.label == "none" }

func (p *profile) sha1() string {
	sum := sha1.Sum([]byte(p.label))
	return hex.EncodeToString(sum[:])
}

func sha256Of(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
