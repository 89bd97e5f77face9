package tune

import (
	"ratelab/internal/result"
)

// Document is what was found.
type Document struct {
	SchemaVersion int         `json:"schema_version"`
	Kind          string      `json:"kind" jsonschema:"enum=tune"`
	Tool          result.Tool `json:"tool"`

	Traffic Fitting   `json:"traffic"`
	Good    GoodUsers `json:"good_users"`
	Wishes  Wishes    `json:"wishes"`
	// which keys were played; absent: all of them
	Sample *Sampling `json:"sample,omitempty"`

	// every setting that was tried, by algorithm, window, limit and burst
	Rows []Row `json:"rows"`
	// row of what to take, from 0; null: no setting keeps all wishes
	Chosen *int `json:"chosen" jsonschema:"nullable"`
	// where it is not the chosen one, the row that keeps them on both parts, with the most room; null: none does
	KeptOnBoth *int `json:"kept_on_both" jsonschema:"nullable"`
	// where none is chosen: of the rows that refuse no more than is wished the one with the best worst second, and of
	// those that protect the backend the one that refuses least; of a wish that no row keeps, what misses it by least
	Nearest []int `json:"nearest"`
	// rows than which no other refuses less and has the better worst second, on the fitted part
	Frontier []int `json:"frontier"`
	// of the frontier, the row farthest below the line between its ends; null: it has less than three
	Knee *int `json:"knee" jsonschema:"nullable"`

	// what the backend gets without a limit
	Unlimited Both `json:"unlimited"`
	// the smallest limits that refuse no more than some shares of users, exactly
	Windows []WindowNeed `json:"windows"`
	// the smallest bursts that do, exactly
	Rates []RateNeed `json:"rates"`

	Configurations []Configuration `json:"configurations"`
	// where times are whole seconds and nobody said how they lie within them: whom the chosen setting hits if all of a
	// second come at its beginning; null otherwise
	AtOnce *Touched `json:"at_once" jsonschema:"nullable"`
	// whom the present setting hits, where that was asked, and nothing else then
	Touched []Touched `json:"touched"`
	Notes   []string  `json:"notes"`
}

// Touched is whom the present setting hits under an algorithm.
type Touched struct {
	Algorithm string       `json:"algorithm"`
	Limit     result.Limit `json:"limit"`
	Refused   int64        `json:"refused"` // requests
	Keys      int64        `json:"keys"`    // of whom anything is refused
	Good      int64        `json:"good"`    // of these
	Who       []Hit        `json:"who"`     // those of whom most is refused, at most a thousand
}

// Fitting is the traffic, and what of it settings were fitted on.
type Fitting struct {
	Name       string `json:"name"`
	Requests   int64  `json:"requests"`
	Cost       int64  `json:"cost"`
	Keys       int64  `json:"keys"`
	DurationUS int64  `json:"duration_us"`
	// how it was split, in words
	Fitted  string `json:"fitted"`
	HeldOut string `json:"held_out"`
}

// GoodUsers are those whose refusals count.
type GoodUsers struct {
	By string `json:"by"` // p99, a list or a pattern
	// of a quantile: the most cost that one of them uses
	Most  int64 `json:"most"`
	Users int64 `json:"users"`
}

// Both is figures of the fitted part, and of the one that is held out.
type Both struct {
	Fitted  Figures `json:"fitted"`
	HeldOut Figures `json:"held_out"`
}

// Row is what one setting does.
type Row struct {
	Algorithm  string       `json:"algorithm"`
	Limit      result.Limit `json:"limit"`
	Subwindows int64        `json:"subwindows"` // 0: the algorithm has none
	Present    bool         `json:"present"`    // it is the user's
	// curve: users_refused is on a curve that is exact for every setting; runs: a model's run at this one says it
	UsersFrom    string `json:"users_from" jsonschema:"enum=curve,enum=runs"`
	RequestsFrom string `json:"requests_from" jsonschema:"enum=curve,enum=runs"`
	Both
	Keeps        bool `json:"keeps"` // all wishes, on the fitted part
	KeepsHeldOut bool `json:"keeps_held_out"`
	// where keys are sampled: the interval of what is refused has the wish in it, on the fitted part
	Straddles        bool `json:"straddles,omitempty"`
	StraddlesHeldOut bool `json:"straddles_held_out,omitempty"`
	// a row of the frontier that neither refuses more nor has a worse worst second; null: it is on the frontier
	BeatenBy *int `json:"beaten_by" jsonschema:"nullable"`
}

// Setting is the row's.
func (r *Row) Setting() Setting {
	s := Setting{r.Algorithm, r.Limit.Policy(), r.Subwindows}
	if !s.IsBucket() {
		s.Policy.Burst = 0
	}
	return s
}

// WindowNeed is the smallest limit of a window that refuses no more than a share of the users.
type WindowNeed struct {
	Algorithm string `json:"algorithm"`
	WindowUS  int64  `json:"window_us"`
	Needs     []Need `json:"needs"`
}

// RateNeed is the smallest burst of a bucket that refuses no more than a share of the users.
type RateNeed struct {
	Requests int64  `json:"requests"`
	WindowUS int64  `json:"window_us"`
	Needs    []Need `json:"needs"`
}

// Need is a number that refuses no more than a share of the users, and whom it refuses on both parts.
type Need struct {
	Share float64 `json:"share" jsonschema:"maximum=1"`
	// the smallest that does, on the fitted part; above 1000000000 none does
	Least          int64 `json:"least"`
	Refused        int64 `json:"users_refused"`
	RefusedHeldOut int64 `json:"users_refused_held_out"`
	// where keys are sampled; the least limit that refuses nobody is at least so much then, the others are estimated
	Sampled *NeedSampled `json:"sampled,omitempty"`
}

// NeedSampled is what a sample says of the users whom a limit refuses.
type NeedSampled struct {
	Fitted  Estimate `json:"fitted"`
	HeldOut Estimate `json:"held_out"`
}

// Sampling is which keys were played.
type Sampling struct {
	Share  float64 `json:"share" jsonschema:"maximum=1"` // of the keys that are not heavy
	Salt   uint64  `json:"salt"`
	Within float64 `json:"within" jsonschema:"maximum=1"` // as a share; of requests, at the share planned_at
	// the share refused at which the bound of the standard error of requests is half of within
	PlannedAt   float64 `json:"planned_at" jsonschema:"maximum=1"`
	MostOfRest  int64   `json:"n_max"`        // keys with more requests are heavy
	HeavyKeys   int64   `json:"heavy_keys"`   // all taken
	OtherKeys   int64   `json:"other_keys"`   // the rest
	SampledKeys int64   `json:"sampled_keys"` // of the rest
	// of the keys that were taken
	RequestsPlayed int64 `json:"requests_played"`
}

// Configuration is a setting as something else takes it.
type Configuration struct {
	For  string `json:"for"`
	Text string `json:"text"`
	// what that product does otherwise
	Differs string `json:"differs"`
}

// Hit is somebody whom the present setting refuses something.
type Hit struct {
	Key      string `json:"key"`
	Good     bool   `json:"good"`
	Requests int64  `json:"requests"`
	Refused  int64  `json:"refused"`
	FirstUS  int64  `json:"first_us"` // when first, since the traffic's beginning
	LastUS   int64  `json:"last_us"`
}
