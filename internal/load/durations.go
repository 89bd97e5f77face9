package load

import "github.com/HdrHistogram/hdrhistogram-go"

// What the histograms can tell: 1 µs to a minute, to three digits. What took longer is counted as overflow.
const (
	LowestUS = 1
	MostUS   = 60_000_000
	Digits   = 3
)

// Durations are the four times of calls, in microseconds, each to the nearest. In a closed loop nothing is due:
// Lag, Wait and Response are empty there.
type Durations struct {
	Lag      *hdrhistogram.Histogram // due until handed over by the pacer
	Wait     *hdrhistogram.Histogram // handed over until written to a connection
	Service  *hdrhistogram.Histogram // written until the reply was read
	Response *hdrhistogram.Histogram // due until the reply was read
}

// The order of the four within a quartet.
const (
	lag = iota
	wait
	service
	response
	kinds
)

// quartet has the histograms of one verdict within one interval. They are sparse: an interval has four of them for
// each verdict, and a dense one takes 140 kB.
type quartet [kinds]*hdrhistogram.PackedHistogram

func newQuartet() quartet {
	var q quartet
	for k := range q {
		q[k] = hdrhistogram.NewPacked(LowestUS, MostUS, Digits)
	}
	return q
}

// NewDurations are four empty histograms.
func NewDurations() Durations {
	empty := func() *hdrhistogram.Histogram { return hdrhistogram.New(LowestUS, MostUS, Digits) }
	return Durations{Lag: empty(), Wait: empty(), Service: empty(), Response: empty()}
}

// addTo merges q into d.
func (q quartet) addTo(d Durations) {
	for k, h := range []*hdrhistogram.Histogram{lag: d.Lag, wait: d.Wait, service: d.Service, response: d.Response} {
		q[k].MergeInto(h)
	}
}

// Merge adds the counts of other to d.
func (d Durations) Merge(other Durations) {
	d.Lag.Merge(other.Lag)
	d.Wait.Merge(other.Wait)
	d.Service.Merge(other.Service)
	d.Response.Merge(other.Response)
}
