package limit

// Ending is the end of an admitted request.
type Ending struct {
	Number   int64 // of the request in its row, from 0
	StartUS  int64 // when the request was admitted, by the server's clock, since 1970
	Renewal  int64 // the number of the renewal, from 1; 0: this is the end
	Reserved int64 // what it was charged then
	Actual   int64 // its cost as it is known now

	Reply *[]string // the elements of the start's reply; nil: no call needs them
}

// Tracker is a Model that is told when the requests end that it admitted.
type Tracker interface {
	Model
	// Start decides the request with that number. A cost of 0 is admitted if any tokens are left.
	Start(serverUS, clientUS int64, key string, cost, number int64) Decision
	// End charges the actual cost in place of the reserved one, or frees the request's slot, or renews its lease. It
	// reports whether the limiter still knew the request.
	End(serverUS, clientUS int64, key string, e Ending) (held bool)
}
