package scenario

import (
	"time"

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

// readClients reads one group of clients, or a list of groups.
func readClients(v strictyaml.Value) (groups []clients.Group) {
	if v.IsMapping() {
		return []clients.Group{readGroup(v, nil)}
	}
	items := v.List("a group of clients such as {count: 20, on_reject: obey}, or a list of groups", maxGroups)
	var lines map[string]int
	if len(items) > 1 {
		lines = map[string]int{}
	}
	total := int64(0)
	for _, item := range items {
		g := readGroup(item, lines)
		groups = append(groups, g)
		total += g.Count
	}
	if total > maxClients {
		v.Bad("%d clients in all; want at most %d", total, maxClients)
	}
	return groups
}

// readGroup reads one group. lines holds the names of the groups before it. It is nil if there is only one group, which
// needs no name.
func readGroup(v strictyaml.Value, lines map[string]int) clients.Group {
	g := clients.Group{Name: "clients", Count: 1, OnReject: clients.OnRejects[0]}
	f := v.Fields("name", "count", "on_reject", "attempts", "wait", "backoff", "jitter", "offset", "drift",
		"delay", "local_flag")
	if lines == nil {
		f.Get("name").Text(&g.Name, "a name", maxName)
	} else {
		readName(f.Need("name", "a name that is unique among the groups"), &g.Name, "group", lines)
	}
	f.Get("count").Integer(&g.Count, 1, maxClients)
	readReaction(f, &g)
	within := func(least, most time.Duration) func(strictyaml.Value, *int64) bool {
		return func(v strictyaml.Value, into *int64) bool { return readUS(v, into, least, most) }
	}
	ppm := func(v strictyaml.Value, into *int64) bool {
		return v.Integer(into, -clients.MaxDriftPPM, clients.MaxDriftPPM)
	}
	readRangeOf(f.Get("offset"), &g.OffsetUS, "a duration such as 5ms", within(-maxOffset, maxOffset))
	readRangeOf(f.Get("drift"), &g.DriftPPM, "parts per million such as 50", ppm)
	readRangeOf(f.Get("delay"), &g.DelayUS, "a duration such as 5ms", within(0, maxDuration))
	readTruth(f.Get("local_flag"), &g.LocalFlag)
	return g
}

// readReaction reads the reaction of a group to a rejection, and refuses fields of other reactions.
func readReaction(f strictyaml.Fields, g *clients.Group) {
	v := f.Get("on_reject")
	known := strictyaml.Choice(v, &g.OnReject, clients.OnRejects) || !v.Given()
	if v := f.Get("attempts"); v.Given() {
		v.Integer(&g.Attempts, 1, maxAttempts)
		if g.OnReject == clients.GiveUp && known {
			v.Bad("has no effect with on_reject: give_up; leave it out, or use on_reject: %s", clients.Obey)
		}
	} else if g.OnReject == clients.AtOnce {
		f.Need("attempts", "the most attempts of an operation, such as 5")
	}
	// of returns a field that one reaction needs. It reports the field if the reaction is another one.
	of := func(field string, reaction clients.OnReject, want string) strictyaml.Value {
		if g.OnReject == reaction {
			return f.Need(field, want)
		}
		if known {
			f.Get(field).Bad("it goes with on_reject: %s, not %s; leave it out", reaction, g.OnReject)
			return strictyaml.Value{}
		}
		return f.Get(field)
	}
	readUS(of("wait", clients.Ignore, "how long to wait before each new attempt, such as 100ms"), &g.WaitUS,
		time.Microsecond, maxDuration)
	if v := of("backoff", clients.BackOff, "{base: 100ms, max: 10s}"); v.Given() {
		g.Backoff = readBackoff(v)
	}
	if v := f.Get("jitter"); v.Given() && known && g.OnReject != clients.Obey {
		v.Bad("it goes with on_reject: %s, not %s; leave it out", clients.Obey, g.OnReject)
	} else {
		strictyaml.Choice(v, &g.Jitter, clients.Jitters)
	}
}

// readBackoff reads {base: 100ms, factor: 2, max: 10s, jitter: full}.
func readBackoff(v strictyaml.Value) clients.Backoff {
	b := clients.Backoff{Factor: 2, Jitter: clients.Jitters[0]}
	f := v.Fields("base", "factor", "max", "jitter")
	var base, longest time.Duration
	v = f.Need("base", "how long the first wait is, such as 100ms")
	ok1 := readDuration(v, &base, time.Microsecond, maxDuration)
	v = f.Need("max", "the longest wait, such as 10s")
	ok2 := readDuration(v, &longest, time.Microsecond, maxDuration)
	if ok1 && ok2 && base > longest {
		v.Bad("%s is shorter than base, %s; want base first", days(longest), days(base))
	}
	b.BaseUS, b.MaxUS = base.Microseconds(), longest.Microseconds()
	readNumber(f.Get("factor"), &b.Factor, 1, maxFactor)
	strictyaml.Choice(f.Get("jitter"), &b.Jitter, clients.Jitters)
	return b
}

// readRangeOf reads one value, or a range {uniform: [least, most]}.
func readRangeOf(v strictyaml.Value, into *clients.Range, want string,
	read func(v strictyaml.Value, into *int64) bool) {
	switch {
	case !v.Given():
	case v.IsList():
		v.Bad("a list; want %s, or {uniform: [least, most]}", want)
	case v.IsMapping():
		v = v.Fields("uniform").Need("uniform", "[least, most]")
		least, most := ends(v, "value")
		ok1, ok2 := read(least, &into.Min), read(most, &into.Max)
		if ok1 && ok2 && into.Min > into.Max {
			v.Bad("%s is more than %s; want [least, most]", least.Shown(), most.Shown())
		}
	default:
		read(v, &into.Min)
		into.Max = into.Min
	}
}
