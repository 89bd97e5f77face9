package architecture

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// mayImport is the import table: which packages of this module each package may import. The two laws are in it:
// scenario imports no algorithm, and an algorithm imports nothing with which it could open a socket.
var mayImport = map[string][]string{
	"lua":                 {},
	"internal/limit":      {"internal/message"},
	"internal/message":    {},
	"internal/alive":      {},
	"internal/atomicfile": {"internal/alive"},
	"internal/resp":       {"internal/message"},
	"internal/waiting":    {},

	"algorithms":            {"lua", "internal/limit", "internal/message"},
	"algorithms/algotest":   {"internal/limit"},
	"algorithms/limitstest": {"algorithms", "internal/limit"},

	"internal/strictyaml": {"internal/message"},
	"internal/traffic":    {"internal/limit", "internal/message"},
	"internal/clients":    {"internal/traffic", "internal/limit", "internal/waiting"},
	"scenarios":           {},
	"internal/scenario": {"scenarios", "internal/measure", "internal/traffic", "internal/clients", "internal/limit",
		"internal/strictyaml", "internal/message"},

	"internal/measure":     {"internal/limit"},
	"internal/script":      {"internal/resp", "internal/limit", "internal/strictyaml", "internal/message"},
	"internal/virtualtime": {"internal/script", "internal/limit", "internal/resp", "internal/message"},
	"internal/caller":      {"internal/script", "internal/limit", "internal/resp", "internal/message"},
	"internal/replay":      {"internal/measure", "internal/limit", "internal/waiting"},
	"internal/localflag":   {"internal/clients", "internal/limit"},
	"internal/sequence": {"internal/virtualtime", "internal/clients", "internal/traffic", "internal/limit",
		"internal/message", "internal/waiting"},
	"internal/processors": {},
	"internal/load":       {"internal/caller", "internal/limit", "internal/resp"},

	"internal/keyspace":         {},
	"internal/registry":         {"internal/alive", "internal/keyspace"},
	"internal/meeting":          {"internal/registry", "internal/waiting"},
	"internal/embedded":         {},
	"internal/trialserver":      {"internal/embedded"},
	"internal/container":        {},
	"internal/container/docker": {"internal/container"},
	"internal/redisserver": {"internal/alive", "internal/container", "internal/embedded", "internal/registry",
		"internal/resp", "internal/trialserver", "internal/waiting", "internal/message"},
	"internal/script/scripttest":           {"internal/script"},
	"internal/redisserver/redisservertest": {"internal/redisserver"},
	"internal/serverstats":                 {"internal/keyspace", "internal/redisserver", "internal/message"},

	"internal/sheet":             {"internal/limit", "internal/message"},
	"internal/result":            {"internal/limit", "internal/message"},
	"internal/result/resulttest": {"internal/result"},
	"internal/report": {"internal/result", "internal/measure", "internal/limit", "internal/sheet",
		"internal/message"},
	"internal/benchresult": {"internal/costresult", "internal/result", "internal/sheet", "internal/measure",
		"internal/replay", "internal/atomicfile", "internal/message"},
	"internal/benchresult/benchresulttest": {"internal/result", "internal/benchresult", "internal/measure"},
	"internal/costresult":                  {"internal/result", "internal/sheet", "internal/limit"},
	"internal/costchart":                   {"internal/chart", "internal/costresult", "internal/sheet"},
	"internal/callgrind":                   {"internal/redisserver"},
	"internal/callgrind/callgrindtest":     {"internal/callgrind", "internal/redisserver"},
	"internal/cost": {"algorithms", "internal/callgrind", "internal/caller", "internal/costresult", "internal/keyspace",
		"internal/limit", "internal/lineup", "internal/redisserver", "internal/replay", "internal/result",
		"internal/script", "internal/serverstats", "internal/virtualtime", "internal/waiting"},
	"internal/compare": {"internal/benchresult", "internal/costresult", "internal/result", "internal/measure",
		"internal/sheet", "internal/message"},
	"internal/chart": {"algorithms", "internal/atomicfile", "internal/message"},
	"internal/benchchart": {"internal/result", "internal/chart", "internal/curves", "internal/benchresult",
		"internal/sheet"},
	"internal/curves": {"internal/limit", "internal/result", "internal/chart", "internal/benchresult",
		"internal/report", "internal/measure", "internal/sheet"},
	"internal/simchart": {"internal/chart", "internal/curves"},
	"internal/page": {"algorithms", "internal/benchresult", "internal/chart", "internal/curves", "internal/report",
		"internal/measure", "internal/message", "internal/limit", "internal/sheet"},

	"internal/change": {"internal/result", "internal/sheet", "internal/limit", "internal/lineup",
		"internal/redisserver", "internal/replay", "internal/scenario", "internal/script", "internal/virtualtime",
		"internal/waiting", "internal/message"},
	"internal/examine": {"algorithms", "internal/limit", "internal/lineup", "internal/replay", "internal/report",
		"internal/result", "internal/scenario", "internal/script", "internal/sheet", "internal/virtualtime"},
	"internal/usage": {"internal/result", "internal/sheet", "internal/limit", "internal/message"},
	"internal/tune": {"algorithms", "internal/chart", "internal/limit", "internal/measure", "internal/message",
		"internal/result", "internal/sheet"},
	"internal/lineup": {
		"algorithms", "internal/scenario", "internal/clients", "internal/limit", "internal/message",
		"internal/redisserver",
		"internal/replay", "internal/script", "internal/virtualtime", "internal/waiting",
	},
	"internal/play": {
		"internal/caller", "internal/clients", "internal/limit", "internal/lineup", "internal/load",
		"internal/measure", "internal/redisserver", "internal/replay", "internal/scenario", "internal/script",
		"internal/virtualtime", "internal/waiting",
	},
	"internal/simulate": {
		"internal/result", "algorithms", "internal/scenario", "internal/lineup", "internal/limit", "internal/measure",
		"internal/redisserver", "internal/replay",
		"internal/report", "internal/curves", "internal/script", "internal/traffic", "internal/virtualtime",
		"internal/clients", "internal/examine", "internal/load", "internal/play",
		"internal/localflag", "internal/sequence", "internal/waiting", "internal/atomicfile", "internal/message",
	},
	"internal/recommend": {
		"internal/result", "algorithms", "internal/scenario", "internal/lineup", "internal/chart", "internal/limit",
		"internal/benchresult", "internal/costresult", "internal/report", "internal/sheet", "internal/message",
		"internal/clients", "internal/measure", "internal/traffic", "internal/worst",
	},
	"internal/worst": {"internal/result", "algorithms", "internal/scenario", "internal/limit", "internal/measure",
		"internal/sheet", "internal/traffic", "internal/waiting"},
	"internal/bench": {
		"internal/result", "algorithms", "internal/scenario", "internal/caller", "internal/lineup", "internal/limit",
		"internal/load", "internal/measure", "internal/play", "internal/processors", "internal/benchresult",
		"internal/redisserver", "internal/compare", "internal/replay", "internal/script", "internal/serverstats",
		"internal/traffic", "internal/virtualtime", "internal/message", "internal/waiting",
		"internal/callgrind", "internal/cost", "internal/costresult", "internal/meeting",
	},
	"internal/commandline": {
		"algorithms", "internal/scenario", "internal/lineup", "internal/limit", "internal/redisserver",
		"internal/replay", "internal/sheet", "internal/traffic",
		"internal/waiting", "internal/atomicfile", "internal/message",
	},
	"internal/commandline/commandlinetest": {"algorithms", "internal/scenario", "internal/commandline",
		"internal/longtest", "internal/message", "internal/redisserver"},
	"internal/longtest":     {},
	"internal/architecture": {},
}

// standardOnly are the packages that import no library: vocabulary, models and arithmetic, which others build on.
var standardOnly = []string{"lua", "internal/limit", "internal/atomicfile", "algorithms", "internal/traffic",
	"internal/clients"}

func TestPackagesImportWhatTheTableAllows(t *testing.T) {
	folders := tree(t)
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		if isCommand(dir) {
			continue // wiring: it may import everything
		}
		allowed, listed := mayImport[dir]
		if !listed {
			t.Errorf("%s is not in the import table; say in mayImport which packages it may import", dir)
			continue
		}
		used := map[string]bool{}
		for _, f := range folders[dir].files {
			for _, target := range f.imports() {
				own, inside := strings.CutPrefix(target, module+"/")
				used[own] = true
				if inside && !slices.Contains(allowed, own) {
					t.Errorf("%s imports %s; it may import %q: pass what it needs as a value, or an interface of its "+
						"own, and join the two in internal/simulate or a command",
						f.path, own, allowed)
				}
				if !inside && isLibrary(target) && slices.Contains(standardOnly, dir) {
					t.Errorf("%s imports %s; %s keeps to the standard library", f.path, target, dir)
				}
			}
		}
		for _, own := range allowed {
			if !used[own] {
				t.Errorf("%s may import %s and does not; take it out of the import table", dir, own)
			}
		}
	}
	for dir := range mayImport {
		if folders[dir] == nil {
			t.Errorf("the import table names %s, and there is no such package; take it out", dir)
		}
	}
}

// isLibrary reports whether an import path is outside the standard library: its first element has a dot.
func isLibrary(target string) bool {
	first, _, _ := strings.Cut(target, "/")
	return strings.Contains(first, ".")
}

// An algorithm decides from its arguments: nothing that it reaches inside this module opens a file, a socket or a
// process.
func TestAlgorithmsCannotReachTheWorld(t *testing.T) {
	folders := tree(t)
	reached := []string{"algorithms"}
	for i := 0; i < len(reached); i++ {
		for _, f := range folders[reached[i]].files {
			for _, target := range f.imports() {
				own, inside := strings.CutPrefix(target, module+"/")
				switch {
				case inside && !slices.Contains(reached, own):
					reached = append(reached, own)
				case !inside && !slices.Contains(harmless, target) && (isLibrary(target) || worldly(target)):
					t.Errorf("%s imports %s, and algorithms reaches it; an algorithm decides from its arguments "+
						"alone: "+
						"let the caller read files and talk to servers", f.path, target)
				}
			}
		}
	}
}

// harmless are libraries that do nothing but compute.
var harmless = []string{"github.com/agnivade/levenshtein"}

// worldly are the parts of the standard library through which a program acts on the world.
func worldly(target string) bool {
	first, _, _ := strings.Cut(target, "/")
	return slices.Contains([]string{"net", "os", "syscall", "plugin", "unsafe", "log", "testing"}, first) ||
		target == "crypto/tls"
}
