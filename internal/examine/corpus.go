package examine

import (
	"math/rand/v2"
	"slices"

	"ratelab/internal/limit"
)

// corpus returns the traffic that distinguishes rules and reveals mistakes, at three phases of the clock. Without
// costs, all requests cost 1.
func (x *examination) corpus(costs bool) (all []*play) {
	w, l, b, fill := x.windowUS, x.limit, x.burst, x.fillUS
	permit := max(1, int64(x.tokenUS()))
	e := min(4*millisecond, w/10) // distance from an edge
	step := x.stepUS
	at := func(gap, n int64) volley { return volley{gapUS: gap, n: n, stepUS: step} }
	every := func(gap, n, step int64) volley { return volley{gapUS: gap, n: n, stepUS: step} }
	dear := func(gap, n, cost int64) volley { return volley{gapUS: gap, n: n, stepUS: step, cost: cost} }
	once := func(name string, phase int64, volleys ...volley) {
		all = append(all, play{name: name, phaseUS: phase, volleys: volleys}.expanded())
	}
	add := func(name string, volleys ...volley) {
		for _, phase := range []int64{0, w / 3, w - e} {
			once(name, phase, volleys...)
		}
	}
	add("fresh", at(0, b+2))
	add("edge", at(0, 1), at(w-e, b), at(2*e, b+1))
	add("ahead", at(0, 1), at(w*4/3, b), at(w*2/3-e, b), at(2*e, b))
	for _, g := range []int64{w / 50, w / 4, w / 2, w * 7 / 8, w - e, w + e, w * 4 / 3, w * 13 / 8, 2*w - e, fill / 2,
		fill/2 + permit/2, fill - e, fill + e, 3*w + e} {
		add("twice", at(0, b+1), at(g, b+1))
	}
	add("thrice", at(0, b+1), at(w/2, b+1), at(w*2/3, b+1), at(w*9/10, b+1))
	add("thrice", at(0, b/2+1), at(w*2/3, b/2+1), at(w/2, b+1), at(w-e, b))
	add("half", at(0, b/2), at(w/2, b/2), at(w/2, b/2), at(w/2, b/2), at(w/2, b/2), at(w/2, b+1))
	third := w / 3
	for _, percent := range []int64{50, 90, 110, 150} {
		once("steady", third, every(0, max(4, l*percent/100*8), w*100/(l*percent)))
	}
	once("steady", 0, every(0, max(4, l*20/2), 2*w/l))
	once("steady", third, every(0, min(60, l*20), w*21/10/l))
	once("steady", third, every(0, 20, 2*max(w, fill)+2*e))
	once(calm, third, every(0, max(4, l*62/100*12), w*100/(l*62)))
	for _, times := range []int64{3, 10, 50} {
		once("load", third, every(0, min(9*l, 12*b+40), max(1, w/(l*times))), at(w/2, b+1))
	}
	for _, silence := range []int64{2, 30, 1000} {
		gap := min(silence*w, 400*24*3600*second) + w/7
		add("silence", at(0, b), at(gap, b+1), at(third, b+1))
		once("silence", third, at(0, b), at(w+w/2, 1), at(gap, 12*b+40), at(w+e, b+1))
	}
	add("asking on", at(0, b), every(w*2/5, 12, w*2/5))
	add("rejected", at(0, b), at(w/2, 3*b), at(w/2+e, b+1))
	add("rejected", at(0, b), at(w/2, 1), at(w/2+e, b+1))
	once("rejected", third, at(0, b+2), at(w*3/10, b), at(w*3/10, b), at(w*3/10, b), at(w*3/10, b+1))
	for _, gap := range []int64{permit * 19 / 10, second * 19 / 10} {
		n := int64(20)
		if gap > permit {
			n = min(n, max(1, b*permit/max(1, gap-permit)), w*95/100/gap-1) // before the window ends
		}
		if gap >= permit*11/10 && n > 0 {
			once(fractions, 0, at(0, x.admits), every(gap, n, gap), at(gap, b+1))
		}
	}
	once("tenths", third, at(0, b), every(permit/10, 40, max(1, permit/10)), at(permit/2, b))
	for _, part := range []int64{0, 370, 900} {
		for _, due := range []int64{w, permit} {
			early := min(150*millisecond, due/4)
			from := part * millisecond
			once("seconds", from, at(0, b), at(due-early, b), at(2*early, b))
			if due > second {
				once("seconds", from, at(0, b), at(due-950*millisecond, b), at(second, b))
			}
		}
	}
	for _, length := range []int64{3600 * second, 24 * 3600 * second} {
		both := length / limit.Divisor(length, w) * w // a multiple of both periods
		if w < length/2 && both < 60*24*3600*second {
			p := play{name: "hour", phaseUS: length - w/2, alignUS: both, volleys: []volley{at(0, b), at(w/2+e, b),
				at(w/3, b)}}
			all = append(all, p.expanded())
		}
	}
	if costs && b > 1 {
		add("dear", dear(0, 1, b+1), at(e, b+1))
		add("dear", dear(0, 2, 2*b))
		add("dear", dear(0, b/max(2, b/5)+3, max(2, b/5)))
		add("dear", dear(0, 2, b), dear(w/2, 1, b), dear(w/2+e, 1, b), dear(w/3, 1, b))
		add("dear", dear(0, 1, b/2), dear(w/4, 1, (b+1)/2+1), at(w/4, b), dear(w/4, 1, 2), dear(w/2, 2, 2))
		once("dear", third, every(0, 1, 1), volley{gapUS: w / 9, n: 20, stepUS: w / 9, cost: max(1, b/4)})
		once("dear", third, volley{n: 12, stepUS: w / 6, cost: b + 1}, at(e, b+1))
		add("dear", every(0, b, max(1, w/b/6)), dear(w/b/6, 1, min(3, b)), at(w/2, b))
		add("dear", at(0, b-1), dear(e, 1, 2), at(e, 2))
	}
	if x.limiter.Program.TakesTime() {
		for _, skew := range []int64{millisecond, 100 * millisecond, w / 3} {
			n := max(30, 3*l)
			var turns []volley
			for i := range 2 * n {
				v := every(3*w/(2*n), 1, 1)
				if i%2 == 1 {
					v.skewUS = -min(skew, w/3)
				}
				turns = append(turns, v)
			}
			once("clock behind", third, turns...)
		}
		ahead, same := at(0, max(1, b)), at(e, max(1, b))
		ahead.skewUS = w
		once("clock ahead", third, ahead, same, at(w+e, b))
	}
	back := at(e, b)
	back.backUS = w / 2
	once("clock back", third, at(0, b), back, at(max(w, fill)+e, b))
	random := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		var v []volley
		for range 14 {
			v = append(v, at(random.Int64N(max(1, 2*max(w/l, fill/b)))+w/20, 1+random.Int64N(max(1, b/3))))
		}
		once("random", random.Int64N(w), v...)
	}
	return slices.DeleteFunc(all, func(p *play) bool { return len(p.asks) == 0 })
}
