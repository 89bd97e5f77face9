package examine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// shrinking is about the most decisions for making one play smaller.
const shrinking = 4000

// shrink finds the smallest play that breaks the same law in the same way.
func (x *examination) shrink(b *breach) (*breach, error) {
	if b.of.name == fractions || len(b.of.volleys) > 20 || b.law == nil {
		return b, nil
	}
	before := x.decisions
	for x.decisions-before < shrinking {
		all, err := x.evaluate(x.limiter, x.smaller(b.of), []*law{b.law})
		if err != nil {
			return nil, err
		}
		found := slices.DeleteFunc(x.breaches(b.law, all), func(o *breach) bool {
			return o.kind != b.kind || o.fault != b.fault || weight(o) >= weight(b)
		})
		if len(found) == 0 {
			return b, nil
		}
		b = slices.MinFunc(found, func(o, p *breach) int { return weight(o) - weight(p) })
	}
	return b, nil
}

// weight measures how complicated a breach is to describe.
func weight(b *breach) (n int) {
	for _, v := range b.of.volleys {
		n += 20 + int(min(v.n, 1000))*2
		if v.cost > 1 {
			n += 10
		}
		if v.gapUS%second != 0 && v.gapUS > second {
			n += 3
		}
		if v.gapUS > 0 {
			n += 2
		}
	}
	if b.of.phaseUS != 0 {
		n += 5
	}
	return n
}

// smaller returns variations of a play that are slightly simpler.
func (x *examination) smaller(p *play) (all []*play) {
	room := shrinking / 4
	with := func(i int, v ...volley) {
		q := play{name: p.name, phaseUS: p.phaseUS, alignUS: p.alignUS, volleys: slices.Concat(p.volleys[:i], v,
			p.volleys[i+1:])}
		if one := q.expanded(); len(one.asks) > 0 && room > 0 {
			room -= len(one.asks)
			all = append(all, one)
		}
	}
	for i, v := range p.volleys {
		with(i)
		if i+1 < len(p.volleys) {
			next := p.volleys[i+1]
			next.gapUS += v.gapUS
			q := play{name: p.name, phaseUS: p.phaseUS, alignUS: p.alignUS,
				volleys: slices.Concat(p.volleys[:i], []volley{next}, p.volleys[i+2:])}
			all = append(all, q.expanded())
		}
		for _, n := range []int64{1, v.n / 2, v.n * 3 / 4, v.n - 1} {
			if n > 0 && n < v.n {
				w := v
				w.n = n
				with(i, w)
			}
		}
		for _, gap := range []int64{x.windowUS, x.windowUS / 2, 2 * x.windowUS, v.gapUS / 2,
			v.gapUS / second * second} {
			if gap > 0 && gap != v.gapUS && (gap < v.gapUS || gap%second == 0) && i > 0 {
				w := v
				w.gapUS = gap
				with(i, w)
			}
		}
		if v.cost > 1 {
			w := v
			w.cost = 1
			with(i, w)
		}
	}
	if p.phaseUS != 0 && len(p.volleys) > 0 {
		q := *p
		q.phaseUS = 0
		all = append(all, q.expanded())
	}
	return all
}

// inWords describes a play so that a reader can repeat it. Times count from the start of its scenario.
func inWords(p *play) string {
	list := volleys(p.asks)
	if n := len(list) - 1; list[n].Requests == 2 && list[n].EveryUS > millisecond { // two are not a series
		last := list[n]
		last.AtUS += last.EveryUS
		list[n].Requests, last.Requests = 1, 1
		list = append(list, last)
	}
	if len(list) > 5 || p.has(skewed) && len(list) > 3 {
		span := p.asks[len(p.asks)-1].AtUS - p.asks[0].AtUS
		return fmt.Sprintf("%s in %s", message.Count(len(p.asks), "request"), report.Briefly(span))
	}
	var all []string
	last, said := int64(0), ""
	for i, v := range list {
		text := strconv.FormatInt(v.Requests, 10)
		if i == 0 {
			text = message.Count(v.Requests, "request")
		}
		if v.Cost > 1 {
			text += fmt.Sprintf(" of cost %d", v.Cost)
		}
		if v.Key == another {
			text += " of another client"
		}
		text += ending(v)
		first, gap := report.Briefly(p.phaseUS+v.AtUS), v.AtUS-last
		last = v.AtUS + (v.Requests-1)*v.EveryUS
		switch end := report.Briefly(p.phaseUS + last); {
		case len(list) == 1 && v.Requests == 1:
		case len(list) == 1 && v.EveryUS <= millisecond:
			text += " at once"
		case v.Requests > 1 && v.EveryUS > millisecond:
			text += fmt.Sprintf(" evenly from %s to %s", first, end)
			said = end
		case i > 0 && first == said:
			text += fmt.Sprintf(" %s later", report.Briefly(gap))
		default:
			text += " at " + first
			said = first
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// ending returns words for how the requests of a volley end.
func ending(v result.Volley) string {
	span := report.Briefly(v.TakesUS)
	switch {
	case v.Dies:
		return " (the holder dies after " + span + ")"
	case v.Actual > 0 && v.Actual != v.Cost:
		return fmt.Sprintf(" (%d at the end, after %s)", v.Actual, span)
	case v.TakesUS > 0:
		return " (for " + span + ")"
	}
	return ""
}

// late returns a text about a breach of retry_late: when the last request is admitted, although its retry-after is
// longer.
func (x *examination) late(b *breach) (string, error) {
	n := len(b.shown.asks) - 1
	before := b.of.of(b.shown.asks[:n])
	all, err := x.decide(x.limiter, []*play{before})
	if err != nil {
		return "", err
	}
	told, cost := all[0].got[n-1].RetryAfterUS, b.shown.asks[n].Cost
	low, high := int64(0), told
	for high-low > max(millisecond, told/500) {
		wait := low + (high-low)/2
		again, err := x.decide(x.limiter, []*play{before.until(n-1, wait, 1, cost)})
		if err != nil {
			return "", err
		}
		if again[0].admitted(n) == 1 {
			high = wait
		} else {
			low = wait
		}
	}
	return fmt.Sprintf("the last is told to wait %s, and passes after %s", report.Briefly(told),
		report.Briefly(high)), nil
}
