package clients

// event is the next thing that happens to an operation.
type event struct {
	atUS   int64
	number uint64 // events at one time happen in the order in which they were made
	kind   kind
	of     *operation
}

// kind is what an event is.
type kind uint8

const (
	begins  kind = iota // an attempt begins
	sends               // the client sends its message
	arrives             // the message is at the server
	answers             // the reply is at the client
)

func (e event) before(o event) bool {
	return e.atUS < o.atUS || e.atUS == o.atUS && e.number < o.number
}

// queue is a heap of events, the next one first. Note: container/heap puts every event into an interface, which costs
// more than the heap.
type queue []event

func (q *queue) push(e event) {
	*q = append(*q, e)
	h := *q
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h[i].before(h[parent]) {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

// pop takes the next event off a queue that is not empty.
func (q *queue) pop() event {
	h := *q
	next, last := h[0], len(h)-1
	h[0], h[last] = h[last], event{}
	h = h[:last]
	*q = h
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return next
		}
		if child+1 < last && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(h[i]) {
			return next
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}
