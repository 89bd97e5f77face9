package measure

// Fairness is how evenly an algorithm serves the keys of a run, against the exact reference: for each key, served is
// its admitted cost divided by what the reference admits it. Keys that the reference admits nothing are left out.
type Fairness struct {
	Keys int64 `json:"keys"` // that were compared
	// JainIndex is (Σx)² / (n·Σx²) over served: 1 where all keys are served alike, 1/n where one gets everything.
	// Source: R. Jain, D. Chiu and W. Hawe, DEC-TR-301, 1984.
	JainIndex float64 `json:"jain_index"`
	// WorstKey is the key with the lowest served, the first in order of names among equals.
	WorstKey    string  `json:"worst_key"`
	WorstServed float64 `json:"worst_served"`
	BestServed  float64 `json:"best_served"`
	// KeysFalselyAdmitted and KeysFalselyRejected count the keys with at least one such decision; WorstKeyWrong is the
	// largest share of one key's requests that were decided falsely either way.
	KeysFalselyAdmitted int64   `json:"keys_falsely_admitted"`
	KeysFalselyRejected int64   `json:"keys_falsely_rejected"`
	WorstKeyWrong       float64 `json:"worst_key_wrong"`
}
