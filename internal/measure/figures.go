package measure

import "ratelab/internal/limit"

// Figures has all figures of one row: those of its decisions, and further figures if the run has them.
type Figures struct {
	Result

	// Guarantee is the largest XLimit for any traffic with these costs, as the rule implies it. It is absent if it is
	// unknown, if the rule has no bound, and if the rule uses a wrong clock.
	Guarantee *float64 `json:"guarantee,omitempty"`

	// Commands counts the Redis commands of the script per decision. It is nil if no script ran.
	Commands *float64 `json:"commands,omitempty"`
	// RoundTrips counts the calls of a deployed client per decision.
	RoundTrips *float64 `json:"round_trips,omitempty"`
	// BytesPerKey is MEMORY USAGE with SAMPLES 0, averaged over the keys left. Only real servers report it.
	BytesPerKey *float64 `json:"bytes_per_key,omitempty"`
	// KeysLeft counts the keys alive at the last request. KeysWithoutTTL counts those that would never expire.
	KeysLeft       *int64 `json:"keys_left,omitempty"`
	KeysWithoutTTL *int64 `json:"keys_left_without_ttl,omitempty"`

	// MostAdmitted has, for each length w of the TimeScales, the most that was admitted for one key in any half-open
	// interval (t−w, t]. Bound has the limiter's guarantee for each length. It is absent if the guarantee is unknown,
	// and if the rule uses a wrong clock.
	MostAdmitted []int64 `json:"most_admitted,omitempty"`
	Bound        []int64 `json:"bound,omitempty"`

	*Several // of runs with several limits

	// ReservedShare is the cost that admitted requests reserved, divided by their actual cost.
	ReservedShare *float64 `json:"reserved_share,omitempty"`
	Ends          *Ends    `json:"ends,omitempty"`  // of rows that are told when requests end
	Slots         *Slots   `json:"slots,omitempty"` // of limits on requests in flight

	Shaping     *Shaping     `json:"shaping,omitempty"`      // of rows that delay admitted requests
	Fairness    *Fairness    `json:"fairness,omitempty"`     // of runs with several keys
	Clients     *Clients     `json:"clients,omitempty"`      // of runs whose clients react
	ClockEffect *ClockEffect `json:"clock_effect,omitempty"` // of runs with wrong clocks
	Race        *Race        `json:"race,omitempty"`         // of sequences of commands without a script
	// of rows whose clients remember that they are over the limit
	LocalFlag *LocalFlag `json:"local_flag,omitempty"`
}

// Ends describes the calls at the ends of requests, and renewals.
type Ends struct {
	Calls        float64 `json:"calls"`         // of all kinds per offered request
	Late         int64   `json:"late"`          // ends of requests that the limiter no longer knew
	RenewalsLost int64   `json:"renewals_lost"` // renewals of requests that the limiter no longer knew
}

// Slots compares a row's decisions with its own requests in flight, under a limit of N at once.
type Slots struct {
	AdmittedFull int64 `json:"admitted_full"` // admitted although N were in flight
	RefusedFree  int64 `json:"refused_free"`  // rejected although fewer were in flight
}

// count counts a decision under a limit. inFlight returns the number before the decision.
func (s *Slots) count(most int64, d limit.Decision, inFlight func() int64) {
	switch full := inFlight() >= most; {
	case d.Allowed() && full:
		s.AdmittedFull++
	case d.Verdict == limit.Rejected && !full:
		s.RefusedFree++
	}
}

// Clients describes how clients that react to rejections fared. An operation is a task of a client. Each attempt at it
// is one request.
type Clients struct {
	Operations int64 `json:"operations"`
	Succeeded  int64 `json:"succeeded"`
	GaveUp     int64 `json:"gave_up"`
	// operations that had neither succeeded nor been given up when the scenario ended
	Unfinished int64 `json:"unfinished"`
	Attempts   int64 `json:"attempts"` // attempts that began; offered counts the decided ones

	// GoodputPerSecond is the cost of the operations that succeeded, divided by the scenario's duration.
	GoodputPerSecond float64 `json:"goodput_per_second"`
	// Amplification is the number of attempts per success. It is absent if no operation succeeded.
	Amplification *float64 `json:"amplification,omitempty"`

	// TimeToSuccessUS is the time from an operation's first attempt to the answer that admits it.
	TimeToSuccessUS *Percentiles `json:"time_to_success_us,omitempty"`
	// Lockstep is the most retries that arrive within one millisecond, (t−1ms, t]. LockstepShare is the share of
	// retries with at least nine other retries less than a millisecond before or after them. A retry arrives with its
	// first message.
	Lockstep      int64   `json:"lockstep"`
	LockstepShare float64 `json:"lockstep_share"`

	RetryAfter *RetryAfter `json:"retry_after,omitempty"` // absent if there is no model to check with

	Groups []ClientGroup `json:"groups"` // in the order of the run's ClientGroups
}

// ClientGroup has the figures of one group of clients.
type ClientGroup struct {
	Name            string       `json:"name"`
	Operations      int64        `json:"operations"`
	Succeeded       int64        `json:"succeeded"`
	GaveUp          int64        `json:"gave_up"`
	Attempts        int64        `json:"attempts"`
	TimeToSuccessUS *Percentiles `json:"time_to_success_us,omitempty"`
}

// Percentiles are the exact percentiles of a duration in µs, by the nearest rank.
type Percentiles struct {
	P50 int64 `json:"p50"`
	P99 int64 `json:"p99"`
	Max int64 `json:"max"`
}

// RetryAfter checks the retry-after times of rejections. Such a time is true if the same request, alone, is admitted at
// that time and not one tick earlier. A tick is 1 µs, or 1 ms if the rule is a TTL. Wrong clocks stay as wrong as they
// are. The first 20,000 such rejections of a row are checked.
type RetryAfter struct {
	Checked  int64 `json:"checked"`
	True     int64 `json:"true"`
	TooEarly int64 `json:"too_early"` // a client that obeys is rejected
	TooLate  int64 `json:"too_late"`  // the request would have been admitted one tick earlier
}

// ClockEffect compares a row with a row that has the same algorithm, clients and operations, but right clocks.
type ClockEffect struct {
	// ExtraAdmitted is the cost that is admitted in addition to what right clocks admit. MissingAdmitted is the cost
	// that right clocks admit and this row does not. Both are sums over the keys and over the consecutive windows [k·W,
	// (k+1)·W) from the scenario's start, in true time. Single decisions are not compared: if a window's phase has
	// moved permanently, the decisions differ until the end, although as much is admitted.
	ExtraAdmitted   int64 `json:"extra_admitted"`
	MissingAdmitted int64 `json:"missing_admitted"`
	// PeakWithRightClocks is the peak of the row with right clocks.
	PeakWithRightClocks int64 `json:"peak_with_right_clocks"`
	// LockoutUS is the longest time, in true time, without an admission of a key, in which right clocks admitted that
	// key. Such a time lies between two admissions, or between one and the scenario's beginning or end. It counts only
	// if it is longer than any such time of the key with right clocks; otherwise LockoutUS is 0. It is about keys.
	// Clients.Groups shows which clients of a key were admitted.
	LockoutUS int64 `json:"lockout_us"`
	// RecoveryUS is the time from the last step of the server's clock to the end of the last such window in which the
	// two rows differ. It is 0 if no window differs. If they differ until the end, it is the rest of the scenario.
	RecoveryUS int64 `json:"recovery_us"`
}

// Race has the effects of interleaving on a sequence of commands.
type Race struct {
	Commands int64 `json:"commands"` // sent to the server
	// RaceAdmits counts admitted requests that the sequence would have rejected without interleaving and without a
	// lock. For this comparison the sequence runs at the moment of the last command whose reply determines the
	// decision. For a queue, this is the moment when the request's element is pushed. RaceRejects counts the reverse.
	RaceAdmits  int64 `json:"race_admits"`
	RaceRejects int64 `json:"race_rejects"`
	// LockWaits counts attempts to take a lock that another client held. LockLosses counts attempts whose lock expired
	// before they had finished.
	LockWaits  int64 `json:"lock_waits"`
	LockLosses int64 `json:"lock_losses"`
	// Crashes counts clients that died between two commands. Their requests count as rejected, but not as race_rejects.
	// LockedOutUS is the longest time for which a counter that a dead client left without a TTL rejected its key: from
	// the first request that it rejected to the last request of the row. It is 0 if there was no such counter.
	Crashes     int64 `json:"crashes"`
	LockedOutUS int64 `json:"locked_out_us"`
	// QueuePeak is the most elements that a queue had after any command. More than the limit is too many.
	QueuePeak int64 `json:"queue_peak"`
	// Trimmed counts the elements that a trim removed. TrimmedNeedlessly counts those that were within the limit: the
	// removed elements minus those beyond the limit when the trim ran.
	Trimmed           int64 `json:"trimmed"`
	TrimmedNeedlessly int64 `json:"trimmed_needlessly"`
	// QueueLost counts elements of admitted requests that were trimmed away, so that no worker gets them. QueueKept
	// counts elements of rejected requests that were not trimmed away, so that a worker gets them.
	QueueLost int64 `json:"queue_lost"`
	QueueKept int64 `json:"queue_kept"`
}

// LocalFlag has the savings and the errors of a client's memory that it is over the limit.
type LocalFlag struct {
	LocalRejects int64 `json:"local_rejects"` // rejected without asking the server: round trips saved
	// WrongRejects counts local rejects that the server would have admitted at that moment.
	WrongRejects int64 `json:"wrong_rejects"`
}
