package scenarios

import (
	"go.yaml.in/yaml/v4"

	"ratelab/internal/traffic"
)

const (
	maxKeys     = 10_000_000
	maxExponent = 10
	maxWeights  = 1000
	maxWeight   = 1e9
)

// keysAndCost reads what the top level and each phase may say.
func (d *decoder) keysAndCost(f fields, p *traffic.Phase) {
	if v, ok := f.get("keys"); ok {
		p.Keys = readKeys(v)
	}
	if v, ok := f.get("cost"); ok {
		p.Cost = readCost(v)
	}
}

// readKeys reads {count: 100, distribution: zipf, exponent: 1.1} and its kin.
func readKeys(v value) traffic.Keys {
	f, ok := v.fields("count", "distribution", "exponent", "hot")
	if !ok {
		return nil
	}
	count, distribution := int64(0), "uniform"
	if v, ok := f.need("count", "how many keys there are"); ok {
		count, _ = v.integer(1, maxKeys)
	}
	if v, ok := f.get("distribution"); ok {
		distribution, _ = v.choice("uniform", "zipf", "hot", "sequential")
	}
	only(f, "exponent", distribution, "zipf")
	only(f, "hot", distribution, "hot")
	switch distribution {
	case "zipf":
		return readZipf(f, count)
	case "hot":
		return readHot(f, count)
	case "sequential":
		return traffic.Sequential{Count: count}
	}
	return traffic.Uniform{Count: count}
}

// only refuses a field that goes with another distribution.
func only(f fields, field, distribution, belongs string) {
	if v, ok := f.get(field); ok && distribution != belongs && distribution != "" {
		v.bad("it goes with distribution: %s, not %s; leave it out", belongs, distribution)
	}
}

func readZipf(f fields, count int64) traffic.Keys {
	z := traffic.Zipf{Count: count}
	if v, ok := f.need("exponent", "how steep the distribution is, such as 1.1"); ok {
		z.Exponent, _ = v.number(0, maxExponent)
	}
	return z
}

func readHot(f fields, count int64) traffic.Keys {
	h := traffic.Hot{Count: count}
	v, ok := f.need("hot", "{keys: 1, share: 0.8}")
	if !ok {
		return h
	}
	if f, ok = v.fields("keys", "share"); !ok {
		return h
	}
	if v, ok := f.need("keys", "how many keys are hot"); ok {
		h.Keys, ok = v.integer(1, maxKeys)
		if ok && count > 0 && h.Keys >= count {
			v.bad("%d of %d keys; want fewer than all", h.Keys, count)
		}
	}
	if v, ok := f.need("share", "their share of the requests, such as 0.8"); ok {
		h.Share, _ = v.number(0, 1)
	}
	return h
}

// readCost reads a number, {uniform: [1, 10]} or {weighted: {1: 0.9, 50: 0.1}}.
func readCost(v value) traffic.Cost {
	if v.isNumber() {
		n, _ := v.integer(1, traffic.MaxCost)
		return traffic.FixedCost(n)
	}
	if v.node.Kind != yaml.MappingNode {
		v.bad("%s; want a cost such as 3, {uniform: [1, 10]} or {weighted: {1: 0.9, 50: 0.1}}", v.shown())
		return nil
	}
	f, _ := v.fields("uniform", "weighted")
	uniform, isUniform := f.get("uniform")
	weighted, isWeighted := f.get("weighted")
	switch {
	case isUniform && isWeighted || !isUniform && !isWeighted && len(f.entries) == 0:
		v.bad("%d distributions; want one of uniform, weighted", len(f.entries))
	case isUniform:
		return readUniformCost(uniform)
	case isWeighted:
		return readWeightedCost(weighted)
	}
	return nil
}

func readUniformCost(v value) traffic.Cost {
	ends, ok := v.list("[least, most]", 2)
	if !ok {
		return nil
	}
	if len(ends) != 2 {
		v.bad("%d number; want [least, most]", len(ends))
		return nil
	}
	least, ok1 := ends[0].integer(1, traffic.MaxCost)
	most, ok2 := ends[1].integer(1, traffic.MaxCost)
	if ok1 && ok2 && least > most {
		v.bad("%d is more than %d; want [least, most]", least, most)
	}
	return traffic.UniformCost{Min: least, Max: most}
}

func readWeightedCost(v value) traffic.Cost {
	f, ok := v.mapping("costs and their weights, such as {1: 0.9, 50: 0.1}")
	if !ok {
		return nil
	}
	if len(f.entries) == 0 || len(f.entries) > maxWeights {
		v.bad("%d costs; want 1 to %d", len(f.entries), maxWeights)
	}
	var w traffic.WeightedCost
	for _, e := range f.entries {
		cost, _ := e.label.integer(1, traffic.MaxCost)
		weight, ok := e.number(0, maxWeight)
		if ok && weight == 0 {
			e.bad("a weight of 0 never comes; want a weight above 0")
		}
		w = append(w, traffic.Weight{Cost: cost, Weight: weight})
	}
	return w
}
