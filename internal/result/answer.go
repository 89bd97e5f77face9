package result

// Traffic is the requests that answers, users and frontiers are about.
type Traffic struct {
	Names    []string `json:"names"`    // of the scenarios, or of the standard traffics; none: the log
	Standard bool     `json:"standard"` // the traffics are the standard set
	Recorded bool     `json:"recorded"` // the traffic is a recorded log
	Requests int64    `json:"requests"` // of all traffics together
	Keys     int64    `json:"keys"`     // distinct ones, which are clients in a log

	Format     string `json:"format,omitempty"`   // of the log, such as combined; absent of answers
	Cost       int64  `json:"cost,omitempty"`     // of all requests; absent of answers
	StartUS    int64  `json:"start_us,omitempty"` // the first request, since 1970; absent where the log does not say
	DurationUS int64  `json:"duration_us,omitempty"`
}

// Answer is what to take under one contract.
type Answer struct {
	Limit Limit   `json:"limit"`
	Rows  []Price `json:"rows" jsonschema:"minItems=1"` // the first is the pick
	Alike []Price `json:"alike"`                        // candidates that decide as one of the rows, and cost more
	// Nearly is a candidate that loses a little too much for the pick and costs much less: NearlyTimes times in bytes
	// and work together.
	Nearly      *Price  `json:"nearly,omitempty"`
	NearlyTimes float64 `json:"nearly_times,omitempty"`
	Usual       []Usual `json:"usual"`

	Script    string   `json:"script"` // of the pick, below the project's folder
	Arguments []string `json:"argv"`   // with which it is called; KEYS[1] is the key
	RedisRate string   `json:"redis_rate,omitempty"`
}

// Price is that of a limiter that guarantees the contract.
type Price struct {
	Limiter   string  `json:"limiter"`
	Guarantee float64 `json:"guarantee"` // the most that it admits on any traffic, of what the contract allows
	// Lost is the share that is missing of what an exact limiter admits, key by key: the mean of the traffics, each at
	// the worst of five phases of the clock. A traffic that is not recorded is also played 5 % faster and slower; the
	// largest share counts.
	Lost          float64  `json:"lost"`
	LostOtherwise *float64 `json:"lost_at_once,omitempty"` // with all requests of a whole second at its start
	// LostUsually is the same on the standard set: the traffic at hand is not the traffic to come.
	LostUsually  float64 `json:"lost_on_standard"`
	WorstTraffic string  `json:"worst_traffic,omitempty"`
	WorstLost    float64 `json:"worst_lost"`
	BytesPerKey  float64 `json:"bytes_per_key"` // of the largest key on this traffic, with a name of 16 bytes
	BytesFull    float64 `json:"bytes_full"`    // of a full key if requests cost 1
	Instructions float64 `json:"instructions"`  // of a decision, weighted by the paths that the traffic takes
	Work         float64 `json:"work"`          // the same, relative to the cheapest row

	UsersRejected   int64 `json:"users_rejected"`            // keys with a rejection
	UsersNeedlessly int64 `json:"users_rejected_needlessly"` // of which an exact limiter rejects nothing
	// with all requests of a whole second at its start
	RejectedOtherwise   *int64 `json:"users_rejected_at_once,omitempty"`
	NeedlesslyOtherwise *int64 `json:"users_rejected_needlessly_at_once,omitempty"`
}

// Usual is a limiter that most people use and that does not guarantee the contract.
type Usual struct {
	Limiter string  `json:"limiter"`
	Peak    float64 `json:"x_limit"` // the most that it admitted of one key in a window here, of the limit
	Beyond  float64 `json:"beyond"`  // share of what it admitted that an exact limiter behind it would refuse
}

// Users are what the clients of a log use, and what limits would reject, if the requests of one whole second lie within
// it as said. Counts are costs, which are requests where each costs 1. Instants are from the first request on.
type Users struct {
	WithinSecond string     `json:"within_second"` // even or at_once; empty where the log says it
	Windows      []Busiest  `json:"windows"`
	Limits       []Rejected `json:"limits"`           // those that were asked for
	Change       *Change    `json:"change,omitempty"` // from the first limit to the second, where there are two
}

// Busiest is how much clients use in their busiest window: the most that one asks for in any interval (t − W, t]. The
// quantiles are of the clients: half of them never use more than P50.
type Busiest struct {
	WindowUS int64 `json:"window_us"`
	P50      int64 `json:"p50"`
	P99      int64 `json:"p99"`
	P999     int64 `json:"p99_9"`
	Most     int64 `json:"most"`
	// the client that uses most; of several the first by name
	MostKey string `json:"most_key"`
}

// Rejected is what an exact limiter of a limit would reject.
type Rejected struct {
	Limit
	Rejected int64    `json:"rejected"`
	Clients  int64    `json:"clients"` // of whom anything is rejected
	Who      []Client `json:"who"`     // of whom most is rejected, at most five
}

// Client is one of those that a limit rejects.
type Client struct {
	Key      string `json:"key"`
	Asked    int64  `json:"asked"`
	Rejected int64  `json:"rejected"`
	FirstUS  int64  `json:"first_us"` // when the first request was rejected; 0 where none was
	LastUS   int64  `json:"last_us"`
}

// Change is what an old limit admits and a new one rejects, and the reverse. Each decides by itself which requests it
// admits. Counts are costs.
type Change struct {
	NewlyRejected    int64 `json:"newly_rejected"`     // admitted by the old limit, rejected by the new one
	NoLongerRejected int64 `json:"no_longer_rejected"` // the reverse
	Clients          int64 `json:"clients"`            // of whom something is newly rejected
	ClientsNewly     int64 `json:"clients_newly"`      // of these, those of whom the old limit rejects nothing
	ClientsNoLonger  int64 `json:"clients_no_longer"`  // of whom only the old limit rejects anything
	// Most is how much may be newly rejected; absent where nobody said.
	Most *int64 `json:"max_newly_rejected,omitempty"`
	// Who are all clients with a request that one limit admits and the other one rejects, those first of whom most is
	// newly rejected; the same in each reading.
	Who []Changed `json:"who"`
}

// Changed is a client for whom the limits decide differently.
type Changed struct {
	Key              string `json:"key"`
	Asked            int64  `json:"asked"`
	RejectedOld      int64  `json:"rejected_old"`
	RejectedNew      int64  `json:"rejected_new"`
	NewlyRejected    int64  `json:"newly_rejected"`
	NoLongerRejected int64  `json:"no_longer_rejected"`
	FirstUS          int64  `json:"first_us"` // when the first request was newly rejected; 0 where none was
	LastUS           int64  `json:"last_us"`
}

// Frontier is the least limits that reject few, of windows of one length, or the least bursts at one rate. An exact
// limiter decides: a sliding log, or a bucket.
type Frontier struct {
	WithinSecond string  `json:"within_second"` // as in Users
	Rate         int64   `json:"rate"`          // of bursts, the requests of each window at the rate; 0: windows
	WindowUS     int64   `json:"window_us"`
	Clients      []Least `json:"clients"`  // that reject anything to at most a share of the clients
	Requests     []Least `json:"requests"` // that reject at most a share of the requests; none where some cost is not 1
}

// InFlight holds how many requests clients have in flight, and the least concurrency limits that reject few. The
// quantiles are of the clients: half of them never have more than P50 in flight.
type InFlight struct {
	WithinSecond string `json:"within_second"` // as in Users
	P50          int64  `json:"p50"`
	P99          int64  `json:"p99"`
	P999         int64  `json:"p99_9"`
	Most         int64  `json:"most"`
	// the client that has most; of several the first by name
	MostKey  string  `json:"most_key"`
	Clients  []Slots `json:"clients"`  // that reject anything to at most a share of the clients
	Requests []Slots `json:"requests"` // that reject at most a share of the requests
}

// Slots is the least limit on requests in flight that rejects no more than a share.
type Slots struct {
	Share float64 `json:"share"`
	Limit int64   `json:"limit"`
}

// Least is the least limit, or burst, that rejects no more than a share. A burst above 1,000,000,000 counts as
// 1,000,000,001.
type Least struct {
	Share float64 `json:"share"`
	Limit int64   `json:"limit"`
	// the most that is admitted of all clients together in any second
	BusiestSecond int64 `json:"busiest_second"`
}
