package result

// Traffic describes the requests that answers, users and frontiers are about.
type Traffic struct {
	Names    []string `json:"names"`    // of the scenarios, or of the standard traffics; empty for a log
	Standard bool     `json:"standard"` // the traffics are the standard set
	Recorded bool     `json:"recorded"` // the traffic is a recorded log
	Requests int64    `json:"requests"` // of all traffics together
	Keys     int64    `json:"keys"`     // the number of distinct keys, which are the clients of a log

	Format     string `json:"format,omitempty"`   // of the log, such as combined; absent for answers
	Cost       int64  `json:"cost,omitempty"`     // of all requests; absent for answers
	StartUS    int64  `json:"start_us,omitempty"` // the first request, since 1970; absent if the log does not say
	DurationUS int64  `json:"duration_us,omitempty"`
}

// Answer is the recommendation for one contract.
type Answer struct {
	Limit Limit   `json:"limit"`
	Rows  []Price `json:"rows" jsonschema:"minItems=1"` // the first is the recommended one
	Alike []Price `json:"alike"`                        // candidates that decide as one of the rows and cost more
	// Nearly is a candidate that loses slightly too much for the first place, but costs much less: NearlyTimes times
	// less in the product of bytes and work.
	Nearly      *Price  `json:"nearly,omitempty"`
	NearlyTimes float64 `json:"nearly_times,omitempty"`
	Usual       []Usual `json:"usual"`

	Script    string   `json:"script"` // of the first row, below the project's folder
	Arguments []string `json:"argv"`   // the arguments of the script; KEYS[1] is the key
	RedisRate string   `json:"redis_rate,omitempty"`
}

// Price has the costs of a limiter that guarantees the contract.
type Price struct {
	Limiter   string  `json:"limiter"`
	Guarantee float64 `json:"guarantee"` // the most that it admits for any traffic, divided by what the contract allows
	// Lost is the share of an exact limiter's admitted cost that this limiter does not admit, key by key. It is the
	// mean over the traffics, each at the worst of five phases of the clock. A traffic that is not recorded is also
	// played 5 % faster and slower, and the largest share counts.
	Lost          float64  `json:"lost"`
	LostOtherwise *float64 `json:"lost_at_once,omitempty"` // if all requests of a whole second come at its start
	// LostUsually is the same for the standard set, because future traffic may differ from the given one.
	LostUsually  float64 `json:"lost_on_standard"`
	WorstTraffic string  `json:"worst_traffic,omitempty"`
	WorstLost    float64 `json:"worst_lost"`
	BytesPerKey  float64 `json:"bytes_per_key"` // of the largest key in this traffic, with a name of 16 bytes
	BytesFull    float64 `json:"bytes_full"`    // of a full key if all requests cost 1
	Instructions float64 `json:"instructions"`  // per decision, weighted by the paths that the traffic takes
	Work         float64 `json:"work"`          // the instructions relative to the cheapest row

	UsersRejected   int64 `json:"users_rejected"`            // keys with a rejected request
	UsersNeedlessly int64 `json:"users_rejected_needlessly"` // those of which an exact limiter rejects nothing
	// the same two if all requests of a whole second come at its start
	RejectedOtherwise   *int64 `json:"users_rejected_at_once,omitempty"`
	NeedlesslyOtherwise *int64 `json:"users_rejected_needlessly_at_once,omitempty"`
}

// Usual is a limiter that is widely used but does not guarantee the contract.
type Usual struct {
	Limiter string `json:"limiter"`
	// the most that it admitted for one key in a window of this traffic, divided by the limit
	Peak   float64 `json:"x_limit"`
	Beyond float64 `json:"beyond"` // the share of its admitted cost that an exact limiter behind it would reject
}

// Users describes how much the clients of a log use, and what limits would reject. It is for one reading of the
// requests of a whole second. Counts are costs, which are requests if each costs 1. Instants count from the first
// request.
type Users struct {
	WithinSecond string     `json:"within_second"` // even or at_once; empty if the log has finer times
	Windows      []Busiest  `json:"windows"`
	Limits       []Rejected `json:"limits"`           // the given limits
	Change       *Change    `json:"change,omitempty"` // from the first limit to the second, if two are given
}

// Busiest describes how much clients use in their busiest window: the most that a client requests in any interval (t −
// W, t]. The quantiles are over the clients: half of them never use more than P50.
type Busiest struct {
	WindowUS int64 `json:"window_us"`
	P50      int64 `json:"p50"`
	P99      int64 `json:"p99"`
	P999     int64 `json:"p99_9"`
	Most     int64 `json:"most"`
	// the client that uses most; among equals the first by name
	MostKey string `json:"most_key"`
}

// Rejected describes what an exact limiter would reject under a limit, or under several limits on each request.
type Rejected struct {
	Limit             // the first, if there are several
	Rejected int64    `json:"rejected"`
	Clients  int64    `json:"clients"` // clients with a rejection
	Who      []Client `json:"who"`     // the clients with the most rejections, at most five
	// Limits are several limits on each request; absent if there is one.
	Limits []Refusing `json:"limits,omitempty"`
	// RejectedRequests is the number of rejected requests under several limits; absent if it is 0 or there is one
	// limit.
	RejectedRequests int64 `json:"rejected_requests,omitempty"`
}

// Refusing is one of several limits, with the requests that it refuses.
type Refusing struct {
	NamedLimit
	Refused      int64 `json:"refused"`       // requests; several limits may refuse one
	RefusedAlone int64 `json:"refused_alone"` // of these, requests that no other limit refuses
}

// Client is a client that a limit rejects.
type Client struct {
	Key      string `json:"key"`
	Asked    int64  `json:"asked"`
	Rejected int64  `json:"rejected"`
	FirstUS  int64  `json:"first_us"` // the time of the first rejection; 0 if there is none
	LastUS   int64  `json:"last_us"`
	// Refused has the requests that each of several limits refuses, by the limits' names.
	Refused map[string]int64 `json:"refused,omitempty"`
}

// Change compares the requests that an old and a new limit admit. Each limit decides on its own which requests it
// admits. Counts are costs.
type Change struct {
	NewlyRejected    int64 `json:"newly_rejected"`     // admitted by the old limit, rejected by the new one
	NoLongerRejected int64 `json:"no_longer_rejected"` // the reverse
	Clients          int64 `json:"clients"`            // clients with something newly rejected
	ClientsNewly     int64 `json:"clients_newly"`      // those of which the old limit rejects nothing
	ClientsNoLonger  int64 `json:"clients_no_longer"`  // clients that only the old limit rejects
	// Most is how much may be newly rejected; absent if no such bound was given.
	Most *int64 `json:"max_newly_rejected,omitempty"`
	// Who has all clients with a request that only one of the limits admits. Clients with the most newly rejected cost
	// come first. The list is the same in each reading.
	Who []Changed `json:"who"`
}

// Changed is a client for which the limits decide differently.
type Changed struct {
	Key              string `json:"key"`
	Asked            int64  `json:"asked"`
	RejectedOld      int64  `json:"rejected_old"`
	RejectedNew      int64  `json:"rejected_new"`
	NewlyRejected    int64  `json:"newly_rejected"`
	NoLongerRejected int64  `json:"no_longer_rejected"`
	FirstUS          int64  `json:"first_us"` // the time of the first newly rejected request; 0 if there is none
	LastUS           int64  `json:"last_us"`
}

// Frontier has the least limits that reject few requests, for windows of one length, or the least bursts at one rate.
// An exact limiter decides: a sliding log or a bucket.
type Frontier struct {
	WithinSecond string  `json:"within_second"` // as in Users
	Rate         int64   `json:"rate"`          // for bursts, the requests per window of the rate; 0 for windows
	WindowUS     int64   `json:"window_us"`
	Clients      []Least `json:"clients"` // limits that reject requests of at most a share of the clients
	// limits that reject at most a share of the requests; empty if some cost is not 1
	Requests []Least `json:"requests"`
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
	Clients  []Slots `json:"clients"`  // limits that reject requests of at most a share of the clients
	Requests []Slots `json:"requests"` // limits that reject at most a share of the requests
}

// Slots is the least limit on requests in flight that rejects no more than a share.
type Slots struct {
	Share float64 `json:"share"`
	Limit int64   `json:"limit"`
}

// Least is the least limit, or burst, that rejects no more than a share. 1,000,000,001 stands for any burst above
// 1,000,000,000.
type Least struct {
	Share float64 `json:"share"`
	Limit int64   `json:"limit"`
	// the most that all clients together are admitted in any second
	BusiestSecond int64 `json:"busiest_second"`
}
