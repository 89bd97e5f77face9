package examine

import (
	"fmt"
	"regexp"
	"slices"
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
		name = ourPrefix.ReplaceAllString(name, "")
		keys = append(keys, name)
		if x.undeclared == "" && !slices.Contains(keys[:given], name) {
			x.undeclared = name
		}
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

// ourPrefix matches the beginning of all keys in virtual time.
var ourPrefix = regexp.MustCompile(`^ratelab:[0-9]+:`)

// notes adds notes about the script: keys that are not in KEYS, and functions that only Lua 5.1 has.
func (x *examination) notes(source string) {
	facts := script.Analyse(source)
	at := func(line int) string {
		if line == 0 {
			return ""
		}
		return fmt.Sprintf("line %d: ", line)
	}
	if touched := x.undeclared; !x.has("cluster") && (touched != "" || facts.OwnKey > 0) {
		text := at(facts.OwnKey) + "the script makes the key of a command itself"
		if touched != "" {
			text = at(facts.OwnKey) + "the script touches the key " + x.named(touched)
		}
		x.say(property, "undeclared_key", nil, "%s, which is not in KEYS; a cluster and Dragonfly need all keys there",
			text).Line = facts.OwnKey
	}
	for _, g := range facts.Gone {
		x.say(property, "lua_51_only", nil, "%s%s is in Lua 5.1, but not in Lua 5.4, which Dragonfly runs", at(g.Line),
			g.Text).Line = g.Line
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
