package script

import (
	"path/filepath"
	"strings"

	"ratelab/internal/limit"
	"ratelab/internal/strictyaml"
)

// binding is what the file beside a script says about it.
type binding struct {
	label      string
	decide     Call
	init       *Call
	initSource string // empty: the script itself

	element             path
	admitted, rejected  condition // rejected may be nil
	notConfigured       condition // nil: not told
	unavailable         condition // the same
	remaining, waitTime *figure   // nil: not told
}

// minimal is a whole binding on one line, to copy.
const minimal = `{keys: ["rl:{key}"], args: ["{limit}", "{window_s}"], admitted: [1]}`

// Load reads a script that need not keep to the Lua contract, my.lua, and its binding, my.yaml in the same folder,
// which says how to call the script under the limit p and what its replies mean:
//
//	keys: ["rl:{key}"]                     # KEYS; one of them at least has {key} in it
//	args: ["{limit}", "{window_s}"]        # ARGV; may be left out
//	admitted: [1, "OK", true]              # the replies that mean admitted, or an expression: ">= 0"
//	rejected: [0]                          # optional: then any third reply is an error
//	not_configured: [-1]                   # optional: of the rejected, those without a bucket; as admitted
//	unavailable: ["fail"]                  # optional: nobody decided; as admitted, or error, for any error reply
//	element: 1                             # which element of a table reply to test; [2, 1] is the first of the second
//	remaining: {element: 2}                # optional, else 0
//	retry_after: {element: 3, unit: ms}    # optional, else 0; s, ms or us
//	init: {script: setup.lua, keys: ["rl:{key}"], args: ["{burst}"]}   # called once per key before its first request
//	name: my-limiter                       # the result row; default: the file's base name
//
// not_configured and unavailable are looked at first. No figure is read of such a reply.
//
// Templates may name {key}, {cost}, {now_s}, {now_ms}, {now_us} (the caller's clock, since 1970, floored) and what
// the limit fixes: {limit}, {burst}, {window_s}, {window_ms}, {window_us}, {rate} (requests per second, a decimal);
// {{ and }} are braces. A window that is not whole seconds has no {window_s}. The init script is my.lua itself unless
// init names another in the same folder; its reply is not read.
//
// A list compares strictly: 1 is a number, "1" is text, true is 1, and false, null and nil are nil, which is what
// Redis makes of them. Every other reply of a listed kind means rejected, and so does nil; a reply of another kind is
// an error, unless rejected lists it. An expression is nil, not nil, or one of >= > <= < == != and a number or a name
// that the limit fixes; it takes a number that comes as text for that number, and holds for no nil.
//
// remaining is rounded down, retry_after up to the microsecond, and is read in rejections only; there -1 means never.
// Either is 0 where the script answers nil. An element that is not there is an error: Redis ends a table at its first
// nil. Without element a figure is the reply itself.
//
// The error is a strictyaml.Errors with everything that is wrong in all files, one line each.
func Load(file string, p limit.Policy) (*Program, error) {
	if err := p.Validate(); err != nil {
		return nil, strictyaml.Errors{{File: "limit", Message: err.Error()}}
	}
	stem, ok := stemOf(file)
	if !ok {
		return nil, strictyaml.Errors{{File: file, Message: "not the name of a script; want one that ends in .lua"}}
	}
	source, problems := readScript(file)
	b, more := loadBinding(stem+".yaml", file, constantsOf(p))
	if problems = append(problems, more...); len(problems) > 0 {
		return nil, problems
	}
	program := &Program{Label: b.label, Foreign: true, Source: source, Decide: b.decide, Init: b.init, Decode: b.decode,
		TellsRetry: b.waitTime != nil}
	_, program.SurvivesErrors = b.unavailable.(anyError)
	if b.init != nil {
		program.InitSource = source
		if b.initSource != "" {
			program.InitSource = b.initSource
		}
	}
	return program, nil
}

// stemOf is a script's path without its extension.
func stemOf(file string) (string, bool) {
	extension := filepath.Ext(file)
	stem := strings.TrimSuffix(file, extension)
	return stem, strings.EqualFold(extension, ".lua") && baseOf(stem) != ""
}

// baseOf is the last element of a path, empty where the path ends in a separator.
func baseOf(file string) string {
	return file[strings.LastIndexAny(file, `/`+string(filepath.Separator))+1:]
}
