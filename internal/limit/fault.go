package limit

// ManagedStep deletes or configures every managed limit at a moment. All are configured at the start.
type ManagedStep struct {
	AtUS    int64 // since the scenario's start; a request at that very moment meets what the step leaves
	Deletes bool  // the limit and its configuration; otherwise it is configured
}

// Outage is a time in which no request reaches the server. The server keeps its keys.
type Outage struct {
	FromUS, UntilUS int64 // since the scenario's start, half-open: [FromUS, UntilUS)
}
