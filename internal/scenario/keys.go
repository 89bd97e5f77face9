package scenario

import (
	"go.yaml.in/yaml/v4"

	"ratelab/internal/strictyaml"
	"ratelab/internal/traffic"
)

const (
	maxKeys     = 10_000_000
	maxExponent = 10
	maxWeights  = 1000
	maxWeight   = 1e9
)

// readKeysAndCost reads what the top level and each phase may say.
func readKeysAndCost(f strictyaml.Fields, p *traffic.Phase) {
	if v, ok := f.Get("keys"); ok {
		p.Keys = readKeys(v)
	}
	if v, ok := f.Get("cost"); ok {
		p.Cost = readCost(v)
	}
}

// readKeys reads {count: 100, distribution: zipf, exponent: 1.1} and its kin.
func readKeys(v strictyaml.Value) traffic.Keys {
	f, ok := v.Fields("count", "distribution", "exponent", "hot")
	if !ok {
		return nil
	}
	count, distribution := int64(0), "uniform"
	if v, ok := f.Need("count", "how many keys there are"); ok {
		count, _ = v.Integer(1, maxKeys)
	}
	if v, ok := f.Get("distribution"); ok {
		distribution, _ = v.Choice("uniform", "zipf", "hot", "sequential")
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
func only(f strictyaml.Fields, field, distribution, belongs string) {
	if v, ok := f.Get(field); ok && distribution != belongs && distribution != "" {
		v.Bad("it goes with distribution: %s, not %s; leave it out", belongs, distribution)
	}
}

func readZipf(f strictyaml.Fields, count int64) traffic.Keys {
	z := traffic.Zipf{Count: count}
	if v, ok := f.Need("exponent", "how steep the distribution is, such as 1.1"); ok {
		z.Exponent, _ = readNumber(v, 0, maxExponent)
	}
	return z
}

func readHot(f strictyaml.Fields, count int64) traffic.Keys {
	h := traffic.Hot{Count: count}
	v, ok := f.Need("hot", "{keys: 1, share: 0.8}")
	if !ok {
		return h
	}
	if f, ok = v.Fields("keys", "share"); !ok {
		return h
	}
	if v, ok := f.Need("keys", "how many keys are hot"); ok {
		h.Keys, ok = v.Integer(1, maxKeys)
		if ok && count > 0 && h.Keys >= count {
			v.Bad("%d of %d keys; want fewer than all", h.Keys, count)
		}
	}
	if v, ok := f.Need("share", "their share of the requests, such as 0.8"); ok {
		h.Share, _ = readNumber(v, 0, 1)
	}
	return h
}

// readCost reads a number, {uniform: [1, 10]} or {weighted: {1: 0.9, 50: 0.1}}.
func readCost(v strictyaml.Value) traffic.Cost {
	if v.IsNumber() {
		n, _ := v.Integer(1, traffic.MaxCost)
		return traffic.FixedCost(n)
	}
	if v.Node.Kind != yaml.MappingNode {
		v.Bad("%s; want a cost such as 3, {uniform: [1, 10]} or {weighted: {1: 0.9, 50: 0.1}}", v.Shown())
		return nil
	}
	f, _ := v.Fields("uniform", "weighted")
	uniform, isUniform := f.Get("uniform")
	weighted, isWeighted := f.Get("weighted")
	switch {
	case isUniform && isWeighted || !isUniform && !isWeighted && len(f.Entries) == 0:
		v.Bad("%d distributions; want one of uniform, weighted", len(f.Entries))
	case isUniform:
		return readUniformCost(uniform)
	case isWeighted:
		return readWeightedCost(weighted)
	}
	return nil
}

func readUniformCost(v strictyaml.Value) traffic.Cost {
	ends, ok := v.List("[least, most]", 2)
	if !ok {
		return nil
	}
	if len(ends) != 2 {
		v.Bad("%d number; want [least, most]", len(ends))
		return nil
	}
	least, ok1 := ends[0].Integer(1, traffic.MaxCost)
	most, ok2 := ends[1].Integer(1, traffic.MaxCost)
	if ok1 && ok2 && least > most {
		v.Bad("%d is more than %d; want [least, most]", least, most)
	}
	return traffic.UniformCost{Min: least, Max: most}
}

func readWeightedCost(v strictyaml.Value) traffic.Cost {
	f, ok := v.Mapping("costs and their weights, such as {1: 0.9, 50: 0.1}")
	if !ok {
		return nil
	}
	if len(f.Entries) == 0 || len(f.Entries) > maxWeights {
		v.Bad("%d costs; want 1 to %d", len(f.Entries), maxWeights)
	}
	var w traffic.WeightedCost
	for _, e := range f.Entries {
		cost, _ := e.Label.Integer(1, traffic.MaxCost)
		weight, ok := readNumber(e.Value, 0, maxWeight)
		if ok && weight == 0 {
			e.Bad("a weight of 0 never comes; want a weight above 0")
		}
		w = append(w, traffic.Weight{Cost: cost, Weight: weight})
	}
	return w
}
