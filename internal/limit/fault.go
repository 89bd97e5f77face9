package limit

// ManagedStep deletes or configures all managed limits at one time. All limits are configured at the start.
type ManagedStep struct {
	AtUS    int64 // since the scenario's start; a request at this time sees the state after the step
	Deletes bool  // deletes the limit and its configuration; otherwise configures the limit
}

// Outage is an interval in which no request reaches the server. The server keeps its keys.
type Outage struct {
	FromUS, UntilUS int64 // since the scenario's start, half-open: [FromUS, UntilUS)
}
