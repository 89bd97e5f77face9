package clients

// Group is a number of clients that do the same. The operations of a scenario go round all clients of all groups in
// turn: operation i, counted from 0, belongs to client i modulo their number.
type Group struct {
	Name  string // unique among the groups; it seeds the group's random streams
	Count int64  // how many clients, at least 1

	OnReject OnReject
	Attempts int64   // at most so many attempts per operation; 0: no bound. GiveUp makes one, whatever stands here
	WaitUS   int64   // of Ignore, at least 1
	Backoff  Backoff // of BackOff

	OffsetUS Range // how far each client's clock is off, drawn per client
	DriftPPM Range // and by how many microseconds it goes further wrong in each second, drawn per client
	DelayUS  Range // how long a message takes, each way, drawn per message

	// LocalFlag asks for rows whose clients remember that they are over the limit. The engine does nothing about it: it
	// is a Protocol's.
	LocalFlag bool
}

// Drawn reports whether anything that its clients do is drawn at random.
func (g *Group) Drawn() bool {
	jitters := g.OnReject == BackOff && g.Backoff.Jitter != NoJitter && g.Backoff.Jitter != ""
	return jitters || !g.DelayUS.fixed() || !g.OffsetUS.fixed() || !g.DriftPPM.fixed()
}

// Range is the whole numbers from Min to Max, both included, from which one is drawn uniformly.
type Range struct{ Min, Max int64 }

// fixed reports whether there is nothing to draw.
func (r Range) fixed() bool { return r.Min == r.Max }

// OnReject is what a client does when an attempt was rejected.
type OnReject string

// The reactions that clients have.
const (
	GiveUp  OnReject = "give_up" // the operation has failed
	Obey    OnReject = "obey"    // try again retry_after later; give up where no waiting helps
	Ignore  OnReject = "ignore"  // try again a fixed time later, whatever retry_after says
	AtOnce  OnReject = "at_once" // try again as soon as the answer is there
	BackOff OnReject = "backoff" // try again after a time that grows with each rejection
)

// OnRejects are the reactions; the first is the default.
var OnRejects = []OnReject{GiveUp, Obey, Ignore, AtOnce, BackOff}

// Backoff is exponential: after the n-th rejection of an operation the client waits d = min(MaxUS, BaseUS ·
// Factor^(n−1)), or, with jitter, a part of it.
type Backoff struct {
	BaseUS, MaxUS int64
	Factor        float64 // at least 1
	Jitter        Jitter
}

// Jitter is how the waiting times of a Backoff are spread, so that clients rejected together do not return together.
// Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
type Jitter string

// The jitters; draws are uniform in whole microseconds.
const (
	NoJitter    Jitter = "none"  // d
	EqualJitter Jitter = "equal" // d/2 and a draw from [0, d/2]
	FullJitter  Jitter = "full"  // a draw from [0, d]
)

// Jitters are the jitters; the first is the default.
var Jitters = []Jitter{NoJitter, EqualJitter, FullJitter}
