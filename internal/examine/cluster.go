package examine

import (
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
)

// cluster checks that the keys of a call, and the keys that the script derives from them, are in one slot.
func (x *examination) cluster() {
	var keys []string
	vars := script.Vars{Key: key + "-0", Cost: 1, NowUS: scenario.DefaultStart.UnixMicro() + x.namedAtUS}
	for _, k := range x.limiter.Program.Decide.Keys {
		keys = append(keys, string(k.Append(nil, &vars)))
	}
	given := len(keys)
	for _, name := range x.names {
		if i := strings.Index(name, keys[0]); i > 0 { // remove the server's prefix
			name = name[i:]
		}
		keys = append(keys, name)
	}
	for i, k := range keys[1:] {
		if tag(k) == tag(keys[0]) {
			continue
		}
		what, remedy := "a cluster refuses a call with both", "put the client in braces"
		if i+1 >= given {
			what = "the script makes the second, and a cluster has it on another node"
		} else if tag(k) == "" || tag(keys[0]) == "" {
			remedy = "give the empty one a name, with the client in braces in each"
		}
		x.say(fault, "cluster", play{volleys: []volley{{n: 1}}}.expanded(),
			"the keys %s and %s lie in different slots: %s; %s, such as %s", x.named(keys[0]), x.named(k), what, remedy,
			x.named("rl:{k0}"))
		return
	}
}

// tag returns the part of a key that determines its slot: the text between the first { and the next }, or the whole
// key.
// Source: redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec, hash tags.
func tag(key string) string {
	if _, after, found := strings.Cut(key, "{"); found {
		if inside, _, closed := strings.Cut(after, "}"); closed && inside != "" {
			return inside
		}
	}
	return key
}

// named returns a key without the prefix that separates the keys of users' scripts.
func (x *examination) named(name string) string {
	return message.Quote(strings.TrimPrefix(strings.Replace(name, key+"-0", key, 1), "own:"+x.found.Algorithm+":"))
}
