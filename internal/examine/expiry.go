package examine

import (
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/report"
)

// neverExpires looks for keys without a TTL, and for the least traffic that leaves one.
func (x *examination) neverExpires() string {
	x.play(x.at(0, 1))
	x.play(x.at(0, 2))
	x.play(x.full(0), x.at(x.windowUS/2, 1), x.at(2*x.windowUS+second, 2))
	shown := x.endless
	if shown == nil {
		return "TTLs"
	}
	for n := 1; n < len(shown); n = n + 1 + n/4 {
		if x.endless = nil; x.play(shown[:n]) != nil && x.endless != nil {
			shown = shown[:n]
			break
		}
	}
	if x.limiter.Program.Init != nil {
		x.say(property, "keeps_configuration", shown, "a key that has been set up has no TTL, and stays until it is "+
			"deleted")
		return ""
	}
	x.say(fault, "never_expires", shown, "after %s a key has no TTL", message.Count(len(shown), "request"))
	return ""
}

// back is how much the script admits at once, some time after everything that it admits at once, from a phase of the
// clock on.
func (x *examination) back(phaseUS, afterUS int64) int64 {
	from := x.baseUS + phaseUS
	return x.lastly(x.admits, x.full(from), x.full(from+afterUS))
}

// expiresEarly asks for everything again before it can have been earned. A window that is aligned to the clock ends at
// another time after the first requests where these come at another phase of the clock; what expires early does not.
func (x *examination) expiresEarly() string {
	end := min(max(x.windowUS, x.fillUS), x.forCost(x.admits))
	spare := x.spare()
	phases := []int64{x.windowUS / 100, x.windowUS/3 + x.windowUS/100}
	// a window gives everything back at its end, and a bucket what the limit allows by then
	sudden := x.back(phases[0], end/2) == 0 && x.back(phases[1], end/2) == 0
	var when [2]int64
	for i, phase := range phases {
		from, low := x.baseUS+phase, int64(0)
		early := func(after int64) bool {
			most := x.allows(after+2*spare) + 1
			if sudden {
				most = 0
			}
			return after > x.admits*x.stepUS && x.lastly(most+1, x.full(from), x.at(from+after, most+1)) > most
		}
		for _, after := range []int64{end / 1000, end / 50, end / 4, end - end/4, end - 2*spare} {
			if after > low && after < end-spare && early(after) {
				when[i] = first(low, after, max(1, min(millisecond, after/100)), early)
				break
			}
			low = after
		}
	}
	shown := slices.Concat(x.full(x.baseUS+phases[0]), x.full(x.baseUS+phases[0]+when[0]))
	switch apart := max(when[0]-when[1], when[1]-when[0]); {
	case when[0] == 0 || when[1] == 0 || apart > spare+x.windowUS/100:
	case x.back(phases[0], when[0]) < x.admits-1:
		x.say(fault, "refills_early", shown, "%s after all %d were used, it admits %d, and the limit allows %d",
			report.Briefly(when[0]), x.admits, x.back(phases[0], when[0]), x.allows(when[0]))
	default:
		x.say(fault, "expires_early", shown, "%s after all %d were used, they are back, %s too early",
			report.Briefly(when[0]), x.admits, report.Briefly(end-when[0]))
	}
	return "no state is lost early"
}

// spare is by how much times may be off: a ms, or a second of a script that goes by whole seconds, and what the
// requests at once take.
func (x *examination) spare() int64 {
	spare := millisecond + x.admits*x.stepUS
	if x.seconds {
		spare += second
	}
	return spare
}

// expiresLate waits twice as long as anything should last, and then far longer.
func (x *examination) expiresLate() string {
	if x.has("never_expires") {
		return ""
	}
	due := 2*max(x.windowUS, x.fillUS) + second
	admits := func(us int64) bool { return x.lastly(1, x.full(x.baseUS), every(x.baseUS+us, 1, 1)) == 1 }
	if admits(due) {
		return ""
	}
	most, text := 1100*due, "at least "
	if admits(most) {
		most, text = first(due, most, second, admits), ""
	}
	x.say(fault, "expires_late", append(x.full(x.baseUS), every(x.baseUS+due, 1, 1)...), "once all %d were used, "+
		"nobody is admitted for %s%s", x.admits, text, report.Briefly(most))
	return ""
}

// locksOut asks for all, and then goes on at less than the limit. A script that admits nobody then, and does after a
// silence of the same length, locks out. At a limit below 3 that is too much asked: see countsRejected.
func (x *examination) locksOut() string {
	if x.limit < 3 {
		return ""
	}
	gap, asks := x.windowUS*2/5, int64(10)
	used := append(x.full(x.baseUS), every(x.baseUS+x.admits*x.stepUS, 1, 1)...)
	asking := every(x.baseUS+gap, gap, asks)
	if x.lastly(asks, used, asking) == 0 && x.lastly(1, used, asking[asks-1:]) == 1 {
		x.say(fault, "locks_out", slices.Concat(used, asking),
			"once all %d were used, it admits none of %d requests, one every %s; after as long a silence it does: "+
				"a TTL, or the time of the last refill, that every call sets anew does that", x.admits, asks,
			report.Span(gap))
	}
	return "going on asking"
}

// countsRejected compares what the script admits after a window with rejections in it, and without them. Where one
// rejection alone locks out, it compares many with one, a window later.
func (x *examination) countsRejected() string {
	w, one := x.windowUS, int64(0)
	end := x.baseUS + w + w/100 + x.spare()
	if x.has("locks_out") {
		one, end = 1, end+w/2
	}
	asked := slices.Concat(x.full(x.baseUS), x.full(x.baseUS+w/2), x.full(end))
	with := x.play(asked)
	without := slices.Concat(x.full(x.baseUS), x.at(x.baseUS+w/2, one+allowed(with[x.admits:2*x.admits])), x.full(end))
	kept, lost := allowed(with[2*x.admits:]), x.lastly(x.admits, without)
	if lost -= kept; lost > 0 && lost*10 >= x.admits {
		x.say(fault, "counts_rejected", asked, "after %d rejections in the window before it admits %d at once, and "+
			"after %d it admits %d", 2*x.admits-allowed(with[:2*x.admits]), kept, one, kept+lost)
	} else if !x.steadilyOver() && x.limiter.Program.TakesCost() && x.admits > 2 {
		x.countsCosts()
	}
	return "rejected requests take nothing"
}

// steadilyOver asks evenly for half more than the limit, and compares what is admitted after two windows with what is
// admitted if nothing was rejected in those. A sliding counter shows only so that it counts what it rejects.
func (x *examination) steadilyOver() bool {
	if x.has("locks_out", "loses_fraction") { // which it would show again
		return false
	}
	step := max(1, x.forCost(2)/3)
	n := min(2*x.windowUS/step, x.limit*3)
	asked := every(x.baseUS, step, n+n)
	got := x.play(asked)
	var passed []limit.Request
	for i, q := range asked[:n] {
		if got[i].Allowed() {
			passed = append(passed, q)
		}
	}
	kept, all := allowed(got[n:]), x.lastly(n, passed, asked[n:])
	if kept < all/2 {
		x.say(fault, "counts_rejected", asked, "of a request every %s, half more than the limit, it admits %d of %d "+
			"after two windows, and %d if nothing was rejected in those", report.Span(step), kept, n, all)
	}
	return kept < all/2
}

// countsCosts asks for more than remains, and then for what remains.
func (x *examination) countsCosts() {
	used := x.at(x.baseUS, x.admits-1)
	dear := limit.Request{AtUS: x.baseUS + x.admits*x.stepUS, Key: key, Cost: 2}
	asked := slices.Concat(used, []limit.Request{dear}, every(dear.AtUS+x.stepUS, 1, 1))
	got := x.play(asked)[len(used):]
	if !got[0].Allowed() && !got[1].Allowed() && x.lastly(1, used, asked[len(used)+1:]) == 1 {
		x.say(fault, "counts_rejected", asked, "one request still passes, and none after a rejected one of cost 2")
	}
}
