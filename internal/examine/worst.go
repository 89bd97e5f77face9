package examine

import (
	"cmp"
	"fmt"
	"slices"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/report"
	"ratelab/internal/scenario"
)

// worst asks in the ways at which windows and buckets of every kind admit most, and notes what the script admitted in
// any one window: at two phases of the clock, with a request that opens a window before, and without. What a shaper
// admits counts when it leaves.
func (x *examination) worst() string {
	w := x.windowUS
	for _, from := range []int64{x.baseUS + 2*w - millisecond, x.baseUS + 2*w + w/3} {
		flood := every(from, max(1, x.forCost(1)/2), 2*x.limit)
		for _, traffics := range [][][]limit.Request{
			{every(from-w, 1, 1), x.at(from-2*millisecond, x.burst), x.at(from+2*millisecond, x.burst)},
			{x.at(from, x.burst), flood, x.at(from+2*millisecond, x.burst)},
			{every(from-w+millisecond, 1, 1), x.at(from, x.burst), flood, x.at(from+2*millisecond, x.burst)},
		} {
			asked := inOrder(traffics...)
			var admitted []limit.Request
			for i, d := range x.play(asked) {
				if d.Allowed() {
					asked[i].AtUS += d.DelayUS
					admitted = append(admitted, asked[i])
				}
			}
			slices.SortStableFunc(admitted, func(a, b limit.Request) int { return cmp.Compare(a.AtUS, b.AtUS) })
			for i, oldest := 0, 0; i < len(admitted); i++ { // of the window that ends here
				for admitted[oldest].AtUS <= admitted[i].AtUS-w {
					oldest++
				}
				if n := int64(i + 1 - oldest); n > x.found.Worst {
					x.found.Worst, x.worstOf = n, admitted[:i+1]
				}
			}
		}
	}
	x.exceeds()
	return ""
}

// exceeds says that the worst is more than the contract allows, where no fault has said so.
func (x *examination) exceeds() {
	most := x.limit
	if x.policy.Contract == limit.ByBucket {
		most += x.burst
	}
	if x.seconds { // which is why
		most += 2*x.allows(second) + 2
	}
	n := x.found.Worst
	if n <= max(most, x.admits) || x.has("no_limit", "expires_early", "refills_early", "more_at_once") {
		return
	}
	window := x.worstOf[int64(len(x.worstOf))-n:]
	last, split := window[n-1].AtUS, 0 // after which the longest silence is
	for i := 1; i < len(window); i++ {
		if window[i].AtUS-window[i-1].AtUS > window[split+1].AtUS-window[split].AtUS {
			split = i - 1
		}
	}
	how := fmt.Sprintf("%d in %s", n, report.Briefly(last-window[0].AtUS))
	before, after := window[split].AtUS-window[0].AtUS, last-window[split+1].AtUS
	if before < x.windowUS/50 && after < x.windowUS/50 && last-window[0].AtUS < x.windowUS/10 {
		how = fmt.Sprintf("%d before a window ends, %d after", split+1, int(n)-split-1)
	}
	x.say(property, "exceeds", x.worstOf, "admits %d in %s, %.2f x the limit: %s", n, report.Span(x.windowUS),
		float64(n)/float64(x.limit), how)
}

// family finds the rule whose model admits as much as the script at a few instants that tell the rules apart.
func (x *examination) family() string {
	if x.delayUS > 0 {
		x.found.Family = "a shaper, which delays what it admits by up to " + report.Briefly(x.delayUS)
		return ""
	}
	w, from := x.windowUS, x.baseUS+x.windowUS/3
	instants := []int64{from, from + w/2, from + w - w/50, from + w + w/50, from + w + w/4, from + 3*w/2,
		from + 2*w + w/50, from + 9*w + w/7, from + 10*w + w/14, from + 10*w + w/7 + w/50}
	var asked []limit.Request
	for i, at := range instants {
		n := x.admits
		if i == 0 || i == 7 { // a window that is half used
			n = (n + 1) / 2
		}
		asked = append(asked, x.at(at, n)...)
	}
	got := x.play(asked)
	policy := x.policy
	if policy.Requests == policy.Capacity() {
		policy.Requests = x.admits
	}
	policy.Burst = x.admits
	fewest := int64(len(asked)) / 10
	for _, choice := range algorithms.ByPlace() { // of several that decide alike, the first is named
		rule, err := choice.Under(policy)
		if err != nil || choice.Algorithm.InWords == "" || algorithms.IsFloor(choice.Label) {
			continue
		}
		model, differ := rule.NewModel(), int64(0)
		for i := range asked {
			if limit.Ask(model, scenario.DefaultStart.UnixMicro(), &asked[i]).Allowed() != got[i].Allowed() {
				differ++
			}
		}
		if differ < fewest {
			fewest, x.found.Family = differ, choice.Algorithm.InWords
		}
	}
	return ""
}
