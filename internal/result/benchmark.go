package result

// Machine is where the generator ran, and the server too where it is our own.
type Machine struct {
	OS           string `json:"os"`
	Architecture string `json:"architecture"`
	Kernel       string `json:"kernel"`
	CPU          string `json:"cpu"`
	Cores        int    `json:"cores"`
	Go           string `json:"go"`
}

// BenchServer is who decided.
type BenchServer struct {
	Server
	// how its address is reached, such as host network; empty where there is one way
	Route           string `json:"route"`
	Own             bool   `json:"own"`   // started for the run, and ended with it
	Image           string `json:"image"` // of a container
	MaxmemoryPolicy string `json:"maxmemory_policy"`
}

// Generator is how the load was made.
type Generator struct {
	Pacer      string `json:"pacer"` // nanosleep, timer slack 1 ns; or time.Sleep
	GOMAXPROCS int    `json:"gomaxprocs"`
	GOGC       int    `json:"gogc" jsonschema:"minimum=-1"`
}

// Settings are what was asked for.
type Settings struct {
	Rounds      int   `json:"rounds" jsonschema:"minimum=1"`
	WarmUpUS    int64 `json:"warm_up_us"` // before each measurement, not counted
	Connections int   `json:"connections" jsonschema:"minimum=1"`
	Repeated    int   `json:"repeated"` // measurements that were repeated because the machine disturbed them
}

// Validity says whether the generator was fit to measure.
type Validity struct {
	Valid   bool     `json:"valid"`
	Reasons []Reason `json:"reasons"`
}

// Reason is one thing that makes figures worthless.
type Reason struct {
	// rate, lag, stall, gc, cpu, pool, overflow, clock, calls, silence, nothing, control
	Code      string `json:"code"`
	Where     string `json:"where"`     // such as "ten-times-over gcra round 3"
	Statement string `json:"statement"` // the figure and its bound, in words
	LastedUS  int64  `json:"lasted_us"` // how long what it speaks of lasted; 0: it has no length
}

// NoiseFloor is how far two rounds of the same limiter and scenario lie apart: the 95th percentile of |ln(a/b)| over
// pairs of successive rounds, as a ratio (1.04 is 4 %); 0 where there were no pairs.
type NoiseFloor struct {
	Pairs         int     `json:"pairs"`
	ServerUS      float64 `json:"server_us"`       // of the server's µs per decision
	ResponseP50US float64 `json:"response_p50_us"` // of the median response time
}

// Most is the larger ratio.
func (n NoiseFloor) Most() float64 { return max(n.ServerUS, n.ResponseP50US) }

// Latency is how one limiter met the requests of one scenario on the wall clock, open loop, all rounds together. The
// run of the scenario has its row, which says what virtual time decides of them.
type Latency struct {
	Scenario  string `json:"scenario" jsonschema:"minLength=1"`
	Algorithm string `json:"algorithm" jsonschema:"minLength=1"` // the label of the row

	Offered         int64      `json:"offered"`
	Sent            int64      `json:"sent"`
	Dropped         int64      `json:"dropped"`
	Admitted        int64      `json:"admitted"`
	Rejected        int64      `json:"rejected"`
	IntendedPerS    float64    `json:"intended_per_s"`
	AchievedPerS    float64    `json:"achieved_per_s"`
	ServerUSPerCall *float64   `json:"server_us_per_decision,omitempty"` // median of the rounds, under this traffic
	MaxPerS         *float64   `json:"max_per_s,omitempty"`              // decisions in a closed loop, if measured
	Outcomes        Outcomes   `json:"outcomes"`
	Intervals       []Interval `json:"intervals"` // of the scenario's time

	Course *Course `json:"course,omitempty"`
	Rounds []Round `json:"rounds"`
}

// Play is a limiter's latency with its row.
type Play struct {
	*Latency
	Row *Row
}

// Course is how the plays went over the part's time, in buckets of equal width from its beginning, all rounds
// together.
type Course struct {
	BucketUS int64   `json:"bucket_us" jsonschema:"minimum=1"`
	Offered  []int64 `json:"offered"` // cost of the requests that were due in the bucket
	// of these, the cost that was admitted; of a shaper what it lets go in the bucket
	Admitted []int64 `json:"admitted"`
	// the most of any round that was let through for one key in a window that ends in the bucket, at least: what may
	// lie outside the window, as far as the server's instants are known, is not counted
	Rolling []int64 `json:"rolling"`
}

// Outcomes are the durations of what was admitted and rejected, apart.
type Outcomes struct {
	Admitted Durations `json:"admitted"`
	Rejected Durations `json:"rejected"`
}

// Durations are the four stretches of a request's way.
type Durations struct {
	Lag      *Histogram `json:"lag"`      // from when it was due until the pacer handed it over
	Wait     *Histogram `json:"wait"`     // until it was written to a connection
	Service  *Histogram `json:"service"`  // from the write to the reply
	Response *Histogram `json:"response"` // from when it was due to the reply
}

// Interval is how long answers took that were due in a stretch of time, over all rounds.
type Interval struct {
	StartUS  int64      `json:"start_us"` // from the beginning of what is played
	WidthUS  int64      `json:"width_us"`
	Admitted *Histogram `json:"admitted,omitempty"` // the response times; absent where nothing was
	Rejected *Histogram `json:"rejected,omitempty"`
}

// Round is what one round measured.
type Round struct {
	Round     int   `json:"round"`      // from 1
	Position  int   `json:"position"`   // within the round, from 1: the order changes from round to round
	StartedUS int64 `json:"started_us"` // since the document's start
	Admitted  int64 `json:"admitted"`
	Rejected  int64 `json:"rejected"`
	// decisions that are not those of virtual time; absent where clients react, and so ask for other things
	DiffersFromVirtual *int64   `json:"differs_from_virtual,omitempty"`
	ServerUSPerCall    *float64 `json:"server_us_per_decision,omitempty"`
	ServiceP50US       float64  `json:"service_p50_us"`
	ResponseP50US      float64  `json:"response_p50_us"`
	ResponseP99US      float64  `json:"response_p99_us"`
	LagP99US           float64  `json:"lag_p99_us"`
}

// Of is the run of that scenario under that limit and seed, or nil. A document that is nil has none.
func (d *Document) Of(scenario string, limit Limit, seed uint64) *Run {
	if d == nil {
		return nil
	}
	return first(d.Runs, func(r *Run) bool { return r.Scenario == scenario && r.Limit == limit && r.Seed == seed })
}

// Plays are those of a run of the document, in the order of the rows.
func (d *Document) Plays(r *Run) []Play {
	var all []Play
	for i := range d.Latency {
		l := &d.Latency[i]
		if row := r.Find(l.Algorithm); l.Scenario == r.Scenario && row != nil {
			all = append(all, Play{l, row})
		}
	}
	return all
}

// Differences compare the decisions of all rounds with those of virtual time.
type Differences struct {
	Differing int64 // are not those of virtual time
	Most      int64 // of these in one round
	Decisions int64
}

// Differences are a row's; nil where its clients react, and so ask for other things than in virtual time.
func (r *Latency) Differences() *Differences {
	d := &Differences{}
	for _, round := range r.Rounds {
		if round.DiffersFromVirtual == nil {
			return nil
		}
		d.Differing += *round.DiffersFromVirtual
		d.Most = max(d.Most, *round.DiffersFromVirtual)
		d.Decisions += round.Admitted + round.Rejected
	}
	return d
}

// Stretches are the histograms, in the order of a request's way.
func (d *Durations) Stretches() []*Histogram {
	return []*Histogram{d.Lag, d.Wait, d.Service, d.Response}
}

// NewOutcomes are empty.
func NewOutcomes() Outcomes {
	empty := func() Durations { return Durations{NewHistogram(), NewHistogram(), NewHistogram(), NewHistogram()} }
	return Outcomes{empty(), empty()}
}

// Merge adds the counts of another run.
func (o *Outcomes) Merge(other Outcomes) {
	o.Admitted.merge(&other.Admitted)
	o.Rejected.merge(&other.Rejected)
}

func (d *Durations) merge(other *Durations) {
	for i, h := range other.Stretches() {
		if h.Count() > 0 {
			d.Stretches()[i].Merge(h.Histogram)
		}
	}
}

// Overall are the times of admitted and rejected calls together.
func (o *Outcomes) Overall() Durations {
	sum := NewOutcomes().Admitted
	sum.merge(&o.Admitted)
	sum.merge(&o.Rejected)
	return sum
}
