package scenario

import (
	"time"

	"ratelab/internal/strictyaml"
	"ratelab/internal/traffic"
)

const (
	maxKeys     = 10_000_000
	maxExponent = 10
	maxWeights  = 1000
	maxWeight   = 1e9
)

// readKeysAndCost reads keys and cost, which the top level and each phase may have.
func readKeysAndCost(f strictyaml.Fields, p *traffic.Phase) {
	if v := f.Get("keys"); v.Given() {
		p.Keys, p.Groups = readKeys(v)
	}
	if v := f.Get("cost"); v.Given() {
		p.Cost = readCost(v)
	}
	if v := f.Get("takes"); v.Given() {
		p.Takes = readTakes(v)
	}
	if v := f.Get("actual"); v.Given() {
		p.Actual, p.Plus = readActual(v)
	}
}

// readTakes reads how long requests run: 30s, {uniform: [1s, 5s]}, {weighted: {1s: 0.9, 1m: 0.1}} or {lognormal: {p50:
// 4s, p99: 1m}}.
func readTakes(v strictyaml.Value) traffic.Cost {
	us := func(v strictyaml.Value) (us int64) {
		readUS(v, &us, time.Microsecond, maxDuration)
		return us
	}
	if !v.IsMapping() {
		return traffic.FixedCost(us(v))
	}
	f := v.Fields("uniform", "weighted", "lognormal")
	uniform, weighted, lognormal := f.Get("uniform"), f.Get("weighted"), f.Get("lognormal")
	switch {
	case len(f.Entries) != 1:
		v.Bad("%d distributions; want a duration such as 30s, or one of uniform, weighted, lognormal", len(f.Entries))
	case uniform.Given():
		least, most := ends(uniform, "duration")
		c := traffic.UniformCost{Min: us(least), Max: us(most)}
		if c.Min > c.Max {
			uniform.Bad("the first is more than the second; want [least, most]")
			c.Max = c.Min
		}
		return c
	case weighted.Given():
		var all traffic.WeightedCost
		for _, e := range weighted.Mapping("durations and their weights, such as {1s: 0.9, 1m: 0.1}").Entries {
			w := traffic.Weight{Cost: us(e.Label)}
			if readNumber(e.Value, &w.Weight, 0, maxWeight) && w.Weight == 0 {
				e.Bad("a duration with weight 0 never occurs; want a weight above 0")
			}
			all = append(all, w)
		}
		if len(all) > 0 {
			return all
		}
	default:
		return readLognormal(lognormal, func(v strictyaml.Value) float64 { return float64(us(v)) })
	}
	return nil
}

// readActual reads the cost that is known at the end: as a cost, lognormal, or {plus: …} for a cost on top.
func readActual(v strictyaml.Value) (c traffic.Cost, plus bool) {
	if v.IsMapping() {
		f := v.Mapping("a cost")
		if more := f.Get("plus"); more.Given() && len(f.Entries) == 1 {
			c, _ = readActual(more)
			return c, true
		}
		if l := f.Get("lognormal"); l.Given() && len(f.Entries) == 1 {
			return readLognormal(l, func(v strictyaml.Value) float64 {
				var n float64
				readNumber(v, &n, 1, traffic.MaxCost)
				return n
			}), false
		}
	}
	return readCost(v, "lognormal", "plus"), false
}

// readLognormal reads {p50: …, p99: …}.
func readLognormal(v strictyaml.Value, read func(strictyaml.Value) float64) traffic.Cost {
	f := v.Fields("p50", "p99")
	p50, p99 := f.Need("p50", "the median"), f.Need("p99", "the 99th percentile")
	c := traffic.LognormalCost{P50: read(p50), P99: read(p99)}
	if c.P50 > c.P99 {
		p99.Bad("it is less than p50; want at least that")
	}
	c.P50 = max(c.P50, 1)
	c.P99 = max(c.P99, c.P50)
	return c
}

// readKeys reads {count: 100, distribution: zipf, exponent: 1.1} and the like. Key i belongs to group i % groups.
func readKeys(v strictyaml.Value) (keys traffic.Keys, groups int64) {
	f := v.Fields("count", "distribution", "exponent", "hot", "groups")
	f.Get("groups").Integer(&groups, 1, maxKeys)
	return readDistribution(f), groups
}

// readDistribution reads how often each key occurs.
func readDistribution(f strictyaml.Fields) traffic.Keys {
	count, distribution := int64(0), "uniform"
	f.Need("count", "how many keys there are").Integer(&count, 1, maxKeys)
	given := f.Get("distribution")
	known := strictyaml.Choice(given, &distribution, []string{"uniform", "zipf", "hot", "sequential"}) || !given.Given()
	for field, belongs := range map[string]string{"exponent": "zipf", "hot": "hot"} {
		if known && distribution != belongs {
			f.Get(field).Bad("it goes with distribution: %s, not %s; leave it out", belongs, distribution)
		}
	}
	switch distribution {
	case "zipf":
		z := traffic.Zipf{Count: count}
		readNumber(f.Need("exponent", "how steep the distribution is, such as 1.1"), &z.Exponent, 0, maxExponent)
		return z
	case "hot":
		return readHot(f.Need("hot", "{keys: 1, share: 0.8}"), count)
	case "sequential":
		return traffic.Sequential{Count: count}
	}
	return traffic.Uniform{Count: count}
}

func readHot(v strictyaml.Value, count int64) traffic.Keys {
	h := traffic.Hot{Count: count}
	f := v.Fields("keys", "share")
	keys := f.Need("keys", "how many keys are hot")
	if keys.Integer(&h.Keys, 1, maxKeys) && count > 0 && h.Keys >= count {
		keys.Bad("%d of %d keys; want fewer than all", h.Keys, count)
	}
	readNumber(f.Need("share", "their share of the requests, such as 0.8"), &h.Share, 0, 1)
	return h
}

// readCost reads a number, {uniform: [1, 10]} or {weighted: {1: 0.9, 50: 0.1}}.
func readCost(v strictyaml.Value, also ...string) traffic.Cost {
	if v.IsNumber() {
		var n int64
		v.Integer(&n, 1, traffic.MaxCost)
		return traffic.FixedCost(n)
	}
	if !v.IsMapping() {
		v.Bad("%s; want a cost such as 3, {uniform: [1, 10]} or {weighted: {1: 0.9, 50: 0.1}}", v.Shown())
		return nil
	}
	f := v.Fields(append([]string{"uniform", "weighted"}, also...)...)
	uniform, weighted := f.Get("uniform"), f.Get("weighted")
	switch {
	case uniform.Given() && weighted.Given() || len(f.Entries) == 0:
		v.Bad("%d distributions; want one of uniform, weighted", len(f.Entries))
	case uniform.Given():
		return readUniformCost(uniform)
	case weighted.Given():
		return readWeightedCost(weighted)
	}
	return nil
}

func readUniformCost(v strictyaml.Value) traffic.Cost {
	var c traffic.UniformCost
	least, most := ends(v, "number")
	ok1, ok2 := least.Integer(&c.Min, 1, traffic.MaxCost), most.Integer(&c.Max, 1, traffic.MaxCost)
	if ok1 && ok2 && c.Min > c.Max {
		v.Bad("%d is more than %d; want [least, most]", c.Min, c.Max)
	}
	return c
}

func readWeightedCost(v strictyaml.Value) traffic.Cost {
	f := v.Mapping("costs and their weights, such as {1: 0.9, 50: 0.1}")
	if f.Given() && (len(f.Entries) == 0 || len(f.Entries) > maxWeights) {
		v.Bad("%d costs; want 1 to %d", len(f.Entries), maxWeights)
	}
	all := make(traffic.WeightedCost, len(f.Entries))
	for i, e := range f.Entries {
		e.Label.Integer(&all[i].Cost, 1, traffic.MaxCost)
		if readNumber(e.Value, &all[i].Weight, 0, maxWeight) && all[i].Weight == 0 {
			e.Bad("a cost with weight 0 never occurs; want a weight above 0")
		}
	}
	return all
}
