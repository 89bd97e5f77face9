package page

// measures says what stands in the tables and charts. W is the limit's window and L its requests.
var measures = []term{
	{"contract", "how the limit is read. By the window: at most L in every interval as long as W, which an exact " +
		"sliding " +
		"log keeps by definition. By the bucket: at most B + r·τ in every interval of length τ, which a bucket keeps " +
		"by " +
		"definition. Neither is the truth; the scenario says which one was promised"},
	{"peak in a window", "for one key, the largest cost let through in any half-open interval (t − W, t]; of several " +
		"keys, the largest. What a shaper delays counts when it leaves"},
	{"× limit", "the peak divided by L. Above 1 more than L got through within one window. A burst is a capacity, so " +
		"a " +
		"bucket may exceed 1 and keep its promise: compare rows with the same burst"},
	{"× promise", "the peak divided by what the algorithm itself promises not to exceed in a window. Above 1 it " +
		"breaks " +
		"its word; at most 1 it keeps it, whatever the contract says"},
	{"excess", "of what was admitted, what an exact limiter behind this one would still refuse: an exact limiter of " +
		"the contract, fed with the admissions alone. 0: the contract held. Its share is of the admitted"},
	{"shortfall", "what an exact limiter in the place of this one would have let through of the same requests, less " +
		"what this one let through within the contract (admitted less excess), for each key where that is more than " +
		"nothing. 0: each key was let through as much. Its share is of what the exact limiter lets through"},
	{"exact reference", "that exact limiter in the same place: it sees the same requests, key by key, and records " +
		"only " +
		"what it admits itself"},
	{"used", "admitted cost over L · duration/W · keys seen"},
	{"most let through in an interval",
		"for one key, the largest cost let through in any half-open interval of that length; its limit is what the " +
			"contract allows in it"},
	{"promised", "what the algorithm is proved not to exceed in an interval of that length; nothing where it " +
		"promises nothing"},
	{"Jain's index", "(Σx)² / (n·Σx²), where x is a key's admitted cost over what the reference admits it"},
	{"goodput", "the cost of the operations that succeeded, over the scenario's duration"},
	{"time to success", "from an operation's first attempt to the answer that admits it; p50 and p99 are exact, by " +
		"the nearest rank"},
}
