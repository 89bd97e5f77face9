package measure

// Figures are all that is known of one row: what was decided, and what goes beyond it where there is any.
type Figures struct {
	Result

	// Guarantee is XLimit at its largest for any traffic with these costs, by the rule alone; absent where unknown,
	// where the rule bounds nothing, and where the clock that it goes by is wrong.
	Guarantee *float64 `json:"guarantee,omitempty"`

	// Commands counts the Redis commands that the script issued per decision; nil where no script ran.
	Commands *float64 `json:"commands,omitempty"`
	// RoundTrips counts the calls of a deployed client per decision.
	RoundTrips *float64 `json:"round_trips,omitempty"`
	// BytesPerKey is MEMORY USAGE with SAMPLES 0, averaged over the keys left; real servers only.
	BytesPerKey *float64 `json:"bytes_per_key,omitempty"`
	// KeysLeft are the keys alive at the last request; KeysWithoutTTL those of them that would stay for ever.
	KeysLeft       *int64 `json:"keys_left,omitempty"`
	KeysWithoutTTL *int64 `json:"keys_left_without_ttl,omitempty"`

	// MostAdmitted is, for each interval of the TimeScales, the most that was admitted for one key in any
	// half-open interval (t−w, t] of that length; Bound is the limiter's guarantee for it, absent where it is
	// unknown, and where the clock that the rule goes by is wrong.
	MostAdmitted []int64 `json:"most_admitted,omitempty"`
	Bound        []int64 `json:"bound,omitempty"`

	Shaping     *Shaping     `json:"shaping,omitempty"`      // of rows that delay what they admit
	Fairness    *Fairness    `json:"fairness,omitempty"`     // of runs with several keys
	Clients     *Clients     `json:"clients,omitempty"`      // of runs whose clients react
	ClockEffect *ClockEffect `json:"clock_effect,omitempty"` // of runs with clocks that are off
	Race        *Race        `json:"race,omitempty"`         // of sequences of commands without a script
	// of rows whose clients remember that they are over the limit
	LocalFlag *LocalFlag `json:"local_flag,omitempty"`
}

// Clients is how the clients fared that react to their rejections. An operation is what a client wants done; each of
// its attempts is one request.
type Clients struct {
	Operations int64 `json:"operations"`
	Succeeded  int64 `json:"succeeded"`
	GaveUp     int64 `json:"gave_up"`
	Unfinished int64 `json:"unfinished"` // neither when the scenario ended
	Attempts   int64 `json:"attempts"`   // that were begun; offered counts those that were decided

	// GoodputPerSecond is the cost of the operations that succeeded, over the scenario's duration.
	GoodputPerSecond float64 `json:"goodput_per_second"`
	// Amplification is attempts per success; absent where nothing succeeded.
	Amplification *float64 `json:"amplification,omitempty"`

	// TimeToSuccessUS is from an operation's first attempt to the answer that admits it.
	TimeToSuccessUS *Percentiles `json:"time_to_success_us,omitempty"`
	// Lockstep is the most retries that arrive within one millisecond, (t−1ms, t]; LockstepShare the share of all
	// retries that arrive within a millisecond of at least nine others.
	// A retry arrives with its first message; nine others are within less than a millisecond of it, either way.
	Lockstep      int64   `json:"lockstep"`
	LockstepShare float64 `json:"lockstep_share"`

	RetryAfter *RetryAfter `json:"retry_after,omitempty"` // absent where no model could be asked

	Groups []ClientGroup `json:"groups"` // in the order of the run's ClientGroups
}

// ClientGroup is the part of one group of clients.
type ClientGroup struct {
	Name            string       `json:"name"`
	Operations      int64        `json:"operations"`
	Succeeded       int64        `json:"succeeded"`
	GaveUp          int64        `json:"gave_up"`
	Attempts        int64        `json:"attempts"`
	TimeToSuccessUS *Percentiles `json:"time_to_success_us,omitempty"`
}

// Percentiles of a duration in µs, exact, by the nearest rank.
type Percentiles struct {
	P50 int64 `json:"p50"`
	P99 int64 `json:"p99"`
	Max int64 `json:"max"`
}

// RetryAfter is whether the answers that named a time to wait told the truth: that the same request, alone, passes
// at that moment, and not one microsecond earlier (one millisecond where a TTL is the rule), by clocks that go on as
// they are. Of a row the first 20,000 such answers are checked.
type RetryAfter struct {
	Checked  int64 `json:"checked"`
	True     int64 `json:"true"`
	TooEarly int64 `json:"too_early"` // obeying it fails
	TooLate  int64 `json:"too_late"`  // one tick earlier would have passed as well
}

// ClockEffect compares a row with the same algorithm, clients and operations, but clocks that are right.
type ClockEffect struct {
	// ExtraAdmitted is the cost admitted beyond what right clocks admit, and MissingAdmitted what falls short of it,
	// added up over the keys and over consecutive windows [k·W, (k+1)·W) from the scenario's start, in true time.
	// Decisions are not compared one by one: a window whose phase has moved for good decides otherwise for ever, and
	// admits as much.
	ExtraAdmitted   int64 `json:"extra_admitted"`
	MissingAdmitted int64 `json:"missing_admitted"`
	// PeakWithRightClocks is the peak of the row with right clocks.
	PeakWithRightClocks int64 `json:"peak_with_right_clocks"`
	// LockoutUS is the longest time, in true time, between two admissions of a key, or between one and the scenario's
	// beginning or end, in which right clocks admitted that key, if it is longer than any such time of that key with
	// right clocks; otherwise 0. It is about keys: which clients of a key got nothing stands in Clients.Groups.
	LockoutUS int64 `json:"lockout_us"`
	// RecoveryUS is from the last step of the server's clock to the end of the last such window in which the two
	// differ; 0 where none does. Where they differ until the end it is the rest of the scenario.
	RecoveryUS int64 `json:"recovery_us"`
}

// Race is what interleaving did to a sequence of commands.
type Race struct {
	Commands int64 `json:"commands"` // sent to the server
	// RaceAdmits were admitted though the sequence, run without interruption or lock at the moment of the last command
	// on whose reply its decision depends, would have rejected them; RaceRejects are the reverse. Of a queue the moment
	// is that at which the request's element is pushed.
	RaceAdmits  int64 `json:"race_admits"`
	RaceRejects int64 `json:"race_rejects"`
	// LockWaits are attempts to take a lock that somebody else held; LockLosses are attempts whose lock expired before
	// they were done.
	LockWaits  int64 `json:"lock_waits"`
	LockLosses int64 `json:"lock_losses"`
	// Crashes are clients that died between two commands. Their requests are rejected, since nobody served them, and
	// are no race_rejects. LockedOutUS is the longest time for which a counter that one of them left without a TTL
	// rejected its key: from the first request that it rejected to the row's last; 0 where none did.
	Crashes     int64 `json:"crashes"`
	LockedOutUS int64 `json:"locked_out_us"`
	// QueuePeak is the most elements that a queue had after any command; beyond the limit it is too long.
	QueuePeak int64 `json:"queue_peak"`
	// Trimmed are elements that a trim removed; TrimmedNeedlessly are those of them that were among as many as the
	// limit lets stay: what was removed, less what was there beyond the limit when the trim ran.
	Trimmed           int64 `json:"trimmed"`
	TrimmedNeedlessly int64 `json:"trimmed_needlessly"`
	// QueueLost are elements of admitted requests that were trimmed away, so that no worker gets them; QueueKept those
	// of rejected requests that were not trimmed away, so that a worker does.
	QueueLost int64 `json:"queue_lost"`
	QueueKept int64 `json:"queue_kept"`
}

// LocalFlag is what a client's memory of being over the limit saves, and what it gets wrong.
type LocalFlag struct {
	LocalRejects int64 `json:"local_rejects"` // decided without asking the server: round trips saved
	// WrongRejects are those that the server would have admitted at that moment.
	WrongRejects int64 `json:"wrong_rejects"`
}
