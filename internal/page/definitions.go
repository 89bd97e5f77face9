package page

// measures says what stands in the tables and charts. W is the limit's window and L its requests.
var measures = []term{
	{"peak in a window", "for one key, the largest cost admitted in any half-open interval (t − W, t]; of several " +
		"keys, the largest"},
	{"× limit", "the peak divided by L. Above 1 more than the limit was admitted within one window. A burst is a " +
		"capacity, so a bucket may exceed 1 and keep its promise: compare rows with the same burst"},
	{"exact limit, exact reference",
		"an independent sliding log per key that sees the same requests and records only what it admits itself"},
	{"false admits", "requests that were admitted here and rejected by the exact reference"},
	{"false rejects", "requests that were rejected here and admitted by the exact reference. Who admits more at " +
		"first may have to reject later what the reference still admits"},
	{"used", "admitted cost over L · duration/W · keys seen"},
	{"most admitted in an interval",
		"for one key, the largest cost admitted in any half-open interval of that length; its limit is the burst and " +
			"L/W times the length, rounded down"},
	{"promised", "what the algorithm is proved not to exceed in an interval of that length; nothing where it " +
		"promises nothing"},
	{"Jain's index", "(Σx)² / (n·Σx²), where x is a key's admitted cost over what the reference admits it"},
	{"goodput", "the cost of the operations that succeeded, over the scenario's duration"},
	{"time to success", "from an operation's first attempt to the answer that admits it; p50 and p99 are exact, by " +
		"the nearest rank"},
}
