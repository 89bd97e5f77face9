package result

// Machine describes the machine of the generator, and of the server if bench started it.
type Machine struct {
	OS           string `json:"os"`
	Architecture string `json:"architecture"`
	Kernel       string `json:"kernel"`
	CPU          string `json:"cpu"`
	Cores        int    `json:"cores"`
	Go           string `json:"go"`
}

// BenchServer describes the server under test.
type BenchServer struct {
	Server
	// how its address is reached, such as host network; empty if there is only one way
	Route           string `json:"route"`
	Own             bool   `json:"own"`   // started for the run and ended after it
	Image           string `json:"image"` // of a container
	MaxmemoryPolicy string `json:"maxmemory_policy"`
}

// Generator describes how the load was generated.
type Generator struct {
	Pacer      string `json:"pacer"` // nanosleep, timer slack 1 ns; or time.Sleep
	GOMAXPROCS int    `json:"gomaxprocs"`
	GOGC       int    `json:"gogc" jsonschema:"minimum=-1"`
}

// Settings are the options of the measurement.
type Settings struct {
	Rounds      int   `json:"rounds" jsonschema:"minimum=1"`
	WarmUpUS    int64 `json:"warm_up_us"` // before each measurement; not counted
	Connections int   `json:"connections" jsonschema:"minimum=1"`
	Repeated    int   `json:"repeated"` // measurements that were repeated because of disturbances of the machine
}

// Validity reports whether the measurement is valid.
type Validity struct {
	Valid   bool     `json:"valid"`
	Reasons []Reason `json:"reasons"`
}

// Reason is one reason why a measurement is invalid.
type Reason struct {
	// rate, lag, stall, gc, cpu, pool, overflow, clock, calls, silence, nothing, control
	Code      string `json:"code"`
	Where     string `json:"where"`     // such as "ten-times-over gcra round 3"
	Statement string `json:"statement"` // the figure and its limit, in words
	LastedUS  int64  `json:"lasted_us"` // how long the disturbance lasted; 0: it has no duration
}

// NoiseFloor is the difference between two rounds of the same limiter and scenario. It is the 95th percentile of
// ln(a/b)| over pairs of successive rounds, as a ratio (1.04 is 4 %). It is 0 if there are no pairs.
type NoiseFloor struct {
	Pairs         int     `json:"pairs"`
	ServerUS      float64 `json:"server_us"`       // of the server's µs per decision
	ResponseP50US float64 `json:"response_p50_us"` // of the median response time
}

// Most returns the larger ratio.
func (n NoiseFloor) Most() float64 { return max(n.ServerUS, n.ResponseP50US) }

// Latency has the measurements of one limiter for one scenario on the wall clock, open loop, all rounds together. The
// row in the scenario's run has the decisions in virtual time.
type Latency struct {
	Scenario  string `json:"scenario" jsonschema:"minLength=1"`
	Algorithm string `json:"algorithm" jsonschema:"minLength=1"` // the label of the row

	Offered         int64    `json:"offered"`
	Sent            int64    `json:"sent"`
	Dropped         int64    `json:"dropped"`
	Admitted        int64    `json:"admitted"`
	Rejected        int64    `json:"rejected"`
	IntendedPerS    float64  `json:"intended_per_s"`
	AchievedPerS    float64  `json:"achieved_per_s"`
	ServerUSPerCall *float64 `json:"server_us_per_decision,omitempty"` // the median of the rounds, under this traffic
	// decisions per second in a closed loop, if measured
	MaxPerS   *float64   `json:"max_per_s,omitempty"`
	Outcomes  Outcomes   `json:"outcomes"`
	Intervals []Interval `json:"intervals"` // intervals of the scenario's time

	Course *Course `json:"course,omitempty"`
	Rounds []Round `json:"rounds"`
}

// Play is the latency of a limiter together with its row.
type Play struct {
	*Latency
	Row *Row
}

// Course is the course of the plays over the part's time, in buckets of equal width from its beginning. It adds up all
// rounds.
type Course struct {
	BucketUS int64   `json:"bucket_us" jsonschema:"minimum=1"`
	Offered  []int64 `json:"offered"` // cost of the requests that were due in the bucket
	// the admitted part of this cost; for a shaper the cost that leaves in the bucket
	Admitted []int64 `json:"admitted"`
	// a lower bound of the most admitted for one key in a window that ends in the bucket, in any round. Costs that may
	// lie outside the window, given how exactly the server's times are known, are not counted.
	Rolling []int64 `json:"rolling"`
}

// Outcomes has the durations of admitted and of rejected requests.
type Outcomes struct {
	Admitted Durations `json:"admitted"`
	Rejected Durations `json:"rejected"`
}

// Durations are the times of the four stages of a request.
type Durations struct {
	Lag      *Histogram `json:"lag"`      // from the time when the request is due until the pacer hands it over
	Wait     *Histogram `json:"wait"`     // until the request is written to a connection
	Service  *Histogram `json:"service"`  // from the write to the reply
	Response *Histogram `json:"response"` // from the time when the request is due to the reply
}

// Interval has the response times of requests due in one time interval, over all rounds.
type Interval struct {
	StartUS  int64      `json:"start_us"` // from the beginning of the part that is played
	WidthUS  int64      `json:"width_us"`
	Admitted *Histogram `json:"admitted,omitempty"` // the response times; absent if no request was admitted
	Rejected *Histogram `json:"rejected,omitempty"`
}

// Round has the measurements of one round.
type Round struct {
	Round int `json:"round"` // from 1
	// the limiter's place within the round, from 1: the order changes between rounds
	Position  int   `json:"position"`
	StartedUS int64 `json:"started_us"` // since the document's start
	Admitted  int64 `json:"admitted"`
	Rejected  int64 `json:"rejected"`
	// the number of decisions that differ from virtual time; absent for reactive clients, which send other requests
	DiffersFromVirtual *int64   `json:"differs_from_virtual,omitempty"`
	ServerUSPerCall    *float64 `json:"server_us_per_decision,omitempty"`
	ServiceP50US       float64  `json:"service_p50_us"`
	ResponseP50US      float64  `json:"response_p50_us"`
	ResponseP99US      float64  `json:"response_p99_us"`
	LagP99US           float64  `json:"lag_p99_us"`
}

// Of returns the run of that scenario under that limit and seed, or nil. A nil document has no runs.
func (d *Document) Of(scenario string, limit Limit, seed uint64) *Run {
	if d == nil {
		return nil
	}
	return first(d.Runs, func(r *Run) bool { return r.Scenario == scenario && r.Limit == limit && r.Seed == seed })
}

// Plays returns the plays of a run of the document, in the order of the rows.
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

// Differences compares the decisions of all rounds with those of virtual time.
type Differences struct {
	Differing int64 // decisions that differ from virtual time
	Most      int64 // the most of these in one round
	Decisions int64
}

// Differences returns nil for reactive clients, which send other requests than in virtual time.
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

// Stretches returns the histograms in the order of the stages.
func (d *Durations) Stretches() []*Histogram {
	return []*Histogram{d.Lag, d.Wait, d.Service, d.Response}
}

// NewOutcomes returns empty outcomes.
func NewOutcomes() Outcomes {
	empty := func() Durations { return Durations{NewHistogram(), NewHistogram(), NewHistogram(), NewHistogram()} }
	return Outcomes{empty(), empty()}
}

// Merge adds the counts of other.
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

// Overall returns the times of admitted and rejected requests together.
func (o *Outcomes) Overall() Durations {
	sum := NewOutcomes().Admitted
	sum.merge(&o.Admitted)
	sum.merge(&o.Rejected)
	return sum
}
