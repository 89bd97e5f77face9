package limit

// ManagedStep is what becomes of the configuration of every managed limit at a moment. They are configured at the
// start.
type ManagedStep struct {
	AtUS    int64 // since the scenario's start; a request at that very moment meets what the step leaves
	Deletes bool  // the limit and its configuration; otherwise it is configured
}

// Outage is a time in which no request reaches the server, which keeps what it has.
type Outage struct {
	FromUS, UntilUS int64 // since the scenario's start, half-open: [FromUS, UntilUS)
}
