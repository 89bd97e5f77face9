package scenario

import (
	"slices"
	"time"

	"go.yaml.in/yaml/v4"

	"ratelab/internal/clients"
	"ratelab/internal/strictyaml"
)

const (
	maxGroups   = 100
	maxClients  = 1_000_000
	maxAttempts = 1_000_000
	maxFactor   = 1000
	maxOffset   = 366 * 24 * time.Hour
)

// clientFields are the fields of a group of clients.
var clientFields = []string{"name", "count", "on_reject", "attempts", "wait", "backoff", "offset", "drift", "delay",
	"local_flag"}

// readClients reads one group of clients, or a list of groups.
func readClients(v strictyaml.Value) []clients.Group {
	if v.Node.Kind == yaml.MappingNode {
		return []clients.Group{readGroup(v, nil)}
	}
	items, ok := v.List("a group of clients such as {count: 20, on_reject: obey}, or a list of groups", maxGroups)
	if !ok {
		return nil
	}
	lines := map[string]int{}
	groups := make([]clients.Group, len(items))
	total := int64(0)
	for i, item := range items {
		if len(items) == 1 {
			lines = nil
		}
		groups[i] = readGroup(item, lines)
		total += groups[i].Count
	}
	if total > maxClients {
		v.Bad("%d clients in all; want at most %d", total, maxClients)
	}
	return groups
}

// onlyGroup is the name of a group that is alone and has none.
const onlyGroup = "clients"

// readGroup reads one group; lines holds the names of those before it, and is nil where there is only one.
func readGroup(v strictyaml.Value, lines map[string]int) clients.Group {
	g := clients.Group{Name: onlyGroup, Count: 1, OnReject: clients.OnRejects[0]}
	f, ok := v.Fields(clientFields...)
	if !ok {
		return g
	}
	readGroupName(f, &g, lines)
	if v, ok := f.Get("count"); ok {
		g.Count, _ = v.Integer(1, maxClients)
	}
	readReaction(f, &g)
	if v, ok := f.Get("offset"); ok {
		g.OffsetUS = readSpread(v, -maxOffset, maxOffset)
	}
	if v, ok := f.Get("drift"); ok {
		g.DriftPPM = readDrift(v)
	}
	if v, ok := f.Get("delay"); ok {
		g.DelayUS = readSpread(v, 0, maxDuration)
	}
	if v, ok := f.Get("local_flag"); ok {
		g.LocalFlag = readTruth(v)
	}
	return g
}

func readGroupName(f strictyaml.Fields, g *clients.Group, lines map[string]int) {
	v, ok := f.Get("name")
	if !ok && lines != nil {
		v, ok = f.Need("name", "a name that is unique among the groups")
	}
	if !ok {
		return
	}
	if g.Name, ok = v.Text("a name", maxName); !ok || lines == nil {
		return
	}
	if line, twice := lines[g.Name]; twice {
		v.Bad("%s is also the group on line %d; want names that are unique", v.Shown(), line)
		return
	}
	lines[g.Name] = v.Node.Line
}

// readReaction reads what a group does when it is rejected, and refuses what belongs to another reaction.
func readReaction(f strictyaml.Fields, g *clients.Group) {
	known := true
	if v, ok := f.Get("on_reject"); ok {
		word, ok := v.Choice(texts(clients.OnRejects)...)
		g.OnReject, known = clients.OnReject(word), ok
	}
	if v, ok := f.Get("attempts"); ok {
		g.Attempts, _ = v.Integer(1, maxAttempts)
		if g.OnReject == clients.GiveUp {
			v.Bad("who gives up makes one attempt; leave it out, or say on_reject: %s", clients.Obey)
		}
	} else if g.OnReject == clients.AtOnce {
		f.Need("attempts", "the most attempts of an operation, such as 5")
	}
	if v, ok := belonging(f, "wait", known, *g, clients.Ignore,
		"how long to wait before each new attempt, such as 100ms"); ok {
		d, _ := readDuration(v, time.Microsecond, maxDuration)
		g.WaitUS = d.Microseconds()
	}
	if v, ok := belonging(f, "backoff", known, *g, clients.BackOff, "{base: 100ms, max: 10s}"); ok {
		g.Backoff = readBackoff(v)
	}
}

// belonging finds a field that one reaction needs and the others refuse.
func belonging(f strictyaml.Fields, field string, known bool, g clients.Group, to clients.OnReject,
	want string) (strictyaml.Value, bool) {
	if g.OnReject == to {
		return f.Need(field, want)
	}
	v, ok := f.Get(field)
	if ok && known {
		v.Bad("it goes with on_reject: %s, not %s; leave it out", to, g.OnReject)
	}
	return v, ok && !known
}

// readBackoff reads {base: 100ms, factor: 2, max: 10s, jitter: full}.
func readBackoff(v strictyaml.Value) clients.Backoff {
	b := clients.Backoff{Factor: 2, Jitter: clients.Jitters[0]}
	f, ok := v.Fields("base", "factor", "max", "jitter")
	if !ok {
		return b
	}
	var base, most time.Duration
	var ok1, ok2 bool
	if v, ok := f.Need("base", "how long the first wait is, such as 100ms"); ok {
		base, ok1 = readDuration(v, time.Microsecond, maxDuration)
	}
	if v, ok := f.Need("max", "the longest wait, such as 10s"); ok {
		most, ok2 = readDuration(v, time.Microsecond, maxDuration)
		if ok1 && ok2 && base > most {
			v.Bad("%s is shorter than base, %s; want base first", days(most), days(base))
		}
	}
	b.BaseUS, b.MaxUS = base.Microseconds(), most.Microseconds()
	if v, ok := f.Get("factor"); ok {
		b.Factor, _ = readNumber(v, 1, maxFactor)
	}
	if v, ok := f.Get("jitter"); ok {
		word, _ := v.Choice(texts(clients.Jitters)...)
		b.Jitter = clients.Jitter(word)
	}
	return b
}

// readSpread reads a duration, or {uniform: [least, most]}, in microseconds.
func readSpread(v strictyaml.Value, least, most time.Duration) clients.Range {
	return readRangeOf(v, "a duration such as 5ms", func(v strictyaml.Value) (int64, bool) {
		d, ok := readDuration(v, least, most)
		return d.Microseconds(), ok
	})
}

// readDrift reads parts per million, or {uniform: [least, most]}.
func readDrift(v strictyaml.Value) clients.Range {
	return readRangeOf(v, "parts per million such as 50", func(v strictyaml.Value) (int64, bool) {
		return v.Integer(-clients.MaxDriftPPM, clients.MaxDriftPPM)
	})
}

// readRangeOf reads one value, or the ends of a range of them.
func readRangeOf(v strictyaml.Value, want string, read func(strictyaml.Value) (int64, bool)) clients.Range {
	switch v.Node.Kind {
	case yaml.ScalarNode:
		x, _ := read(v)
		return clients.Range{Min: x, Max: x}
	case yaml.SequenceNode:
		v.Bad("a list; want %s, or {uniform: [least, most]}", want)
		return clients.Range{}
	}
	f, _ := v.Fields("uniform")
	v, ok := f.Need("uniform", "[least, most]")
	if !ok {
		return clients.Range{}
	}
	ends, ok := v.List("[least, most]", 2)
	if !ok {
		return clients.Range{}
	}
	if len(ends) != 2 {
		v.Bad("%d value; want [least, most]", len(ends))
		return clients.Range{}
	}
	least, ok1 := read(ends[0])
	most, ok2 := read(ends[1])
	if ok1 && ok2 && least > most {
		v.Bad("%s is more than %s; want [least, most]", ends[0].Shown(), ends[1].Shown())
	}
	return clients.Range{Min: least, Max: most}
}

// readTruth reads true or false.
func readTruth(v strictyaml.Value) bool {
	isTruth := v.Node.Kind == yaml.ScalarNode && v.Node.Tag == "!!bool" &&
		slices.Contains([]string{"true", "false"}, v.Node.Value)
	if !isTruth {
		v.Bad("%s; want true or false", v.Shown())
	}
	return isTruth && v.Node.Value == "true"
}
