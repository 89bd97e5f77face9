package script

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/strictyaml"
)

// minimal is a complete binding on one line, as an example to copy.
const minimal = `{keys: ["rl:{key}"], args: ["{limit}", "{window_s}"], admitted: [1]}`

// Load reads a user's script, such as my.lua, and its binding, my.yaml in the same folder. The script need not follow
// the Lua contract. The binding says how to call the script under the limit p, and what the script's replies mean:
//
//	keys: ["rl:{key}"]                     # KEYS; at least one of them contains {key}
//	args: ["{limit}", "{window_ms // 2}"]  # ARGV; may be omitted
//	admitted: [1, "OK", true]              # the replies that mean admitted, or an expression: ">= 0"
//	rejected: [0]                          # optional: then any other reply is an error
//	not_configured: [-1]                   # optional: rejected because there is no bucket; as admitted
//	unavailable: ["fail"]                  # optional: it could not decide; as admitted, or error: any error reply
//	element: 1                             # the element of a table reply to test; [2, 1]: the first of the second
//	remaining: {element: 2}                # optional, else 0; rounded down
//	retry_after: {element: 3, unit: ms}    # optional, else 0; s, ms or us, rounded up to the microsecond; -1: never;
//	                                       # epoch_s, epoch_ms or epoch_us: an instant since 1970
//	limit: 100/1m                          # optional: the limit inside the script, which replaces p
//	ask: all                               # with several limits, one call each: order (default), all or undo
//	undo: {lua: "return redis.call('DECRBY', KEYS[1], ARGV[1])", args: ["{cost}"]}   # with ask: undo
//	gate: {element: 6, first: 0}           # with several limits in one call: the number of the limit that refused
//	reply: {element: "{2 * n}", admitted: "<= {limit}"}   # the same, with an element for each limit
//	parameters: {ttl: 60s, estimate: 1024}   # optional: {ttl_s}, {ttl_ms}, {ttl_us} and {estimate} stand for them
//	ends: {args: [release, "{id}"], held: [1]}   # optional: the call at the end of an admitted request; see readEnds
//	renews: {every: 20s, args: [renew, "{id}"], held: [1]}   # optional: the call that renews it
//	init: {script: setup.lua, keys: ["rl:{key}"], args: ["{burst}"]}   # called once per key before its first request
//	name: my-limiter                       # the result row; default: the file's base name
//
// With several limits, the script is called once for each limit, and all names are that limit's. {name} is its name,
// and {n} its number, from 1. {limits} is the number of limits. If keys or args is {first: […], each: […]}, one call
// has the list each for each limit.
//
// A template contains {key}, {id}, which is unique for each request, and {expressions}: see ParseTemplate.
//
// A list compares strictly: 1 is a number, and "1" is text. As in Redis, true is 1, and false, null and nil are nil. If
// a list has a value of some kind, every other reply of this kind means rejected. Nil means rejected too. A reply of
// any other kind is an error, unless rejected lists it.
//
// An expression is nil, not nil, or a comparison. A comparison is one of >= > <= < == != with a number or an
// {expression}. The limit must fix the expression's value. A comparison accepts numbers that come as text. It is false
// for nil.
//
// If the script answers nil, a figure is 0. A missing element is an error, because Redis ends a table at its first nil.
// Without element, a figure is the reply itself.
//
// The error is a strictyaml.Errors with all mistakes in all files, one line each.
func Load(f File, p limit.Policy) (*Program, error) {
	b := binding{file: f, limits: []limit.Limit{{Name: limit.DefaultName(0), Policy: p}}}
	return b.whole()
}

// whole reads the script and its binding.
func (b *binding) whole() (*Program, error) {
	f := b.file
	dir, name := filepath.Split(f.Name)
	extension := filepath.Ext(name)
	b.dir, b.base = dir, strings.TrimSuffix(name, extension)
	if !strings.EqualFold(extension, ".lua") || b.base == "" {
		return nil, strictyaml.Errors{{File: f.Name, Message: "not the name of a script; want one that ends in .lua"}}
	}
	source, problems := f.lua(f.Name)
	b.program = Program{Foreign: true, Source: source, Decode: b.decode}
	if problems = append(problems, b.load(name)...); len(problems) > 0 {
		return nil, problems
	}
	return &b.program, nil
}

// binding is a binding while Load reads it.
type binding struct {
	file      File
	dir, base string // of the script's file; base has no extension
	limits    []limit.Limit
	at        int              // the index of the limit whose values are read
	known     constants        // values of that limit, or of the script's own limit
	ask       string           // one of Asks
	names     map[string]*term // of the call that is read
	oneCall   bool             // one call decides by all limits
	program   Program
	replies

	given map[string]float64 // the names that parameters gives
}

// load reads the binding of a script. b.program is valid only if there are no problems.
func (b *binding) load(script string) strictyaml.Errors {
	file := b.dir + b.base + ".yaml"
	data, err := b.file.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return strictyaml.Errors{{File: file, Message: fmt.Sprintf(
			"no such file; %s needs a binding that says how to call it, such as %s", script, minimal)}}
	}
	if err != nil {
		return strictyaml.Errors{{File: file, Message: err.Error()}}
	}
	const want = "a binding such as " + minimal
	f := strictyaml.File{Name: file, Wants: want,
		Remedy: "put text that begins with a sign such as > or { in quotes; want " + want}
	if root, ok := f.Root(data); ok {
		b.read(root)
	}
	return f.Errors()
}

// read reads the whole file.
func (b *binding) read(root strictyaml.Value) {
	f := root.Fields("keys", "args", "admitted", "rejected", "not_configured", "unavailable",
		"element", "remaining", "retry_after", "limit", "init", "name", "ask", "reply", "gate", "ends", "renews",
		"parameters", "undo")
	if !f.Given() {
		return
	}
	b.program.Label = b.label(f)
	b.program.Own = own(f.Get("limit"))
	b.parameters(f)
	b.under(b.at)
	b.ask, b.names = Asks[0], variables
	strictyaml.Choice(f.Get("ask"), &b.ask, Asks)
	b.program.Decide = b.call(f)
	perClient(f, b.program.Decide.Keys)
	b.readEach(f)
	b.replies.read(f, b.known)
	b.judged = len(b.limits)
	b.program.Terms = b.terms()
	b.program.TellsRetry = b.retryAfter != nil
	b.program.RetryAt = b.retryAfter != nil && b.retryAfter.instant
	b.program.SurvivesErrors = b.unavailable == anyError
	b.init(f.Get("init").Fields("script", "keys", "args"))
	b.readEnds(f)
}

// parameterText matches the name of a parameter.
var parameterText = regexp.MustCompile(`^[a-z][a-z0-9]{0,15}$`)

// parameters reads the names and values of parameters. Values of the File replace those of the binding, and are part
// of the label.
func (b *binding) parameters(f strictyaml.Fields) {
	b.given = map[string]float64{}
	var known []string
	if v := f.Get("parameters"); v.Given() {
		for _, e := range v.Mapping("parameters and their values, such as {ttl: 60s}").Entries {
			known = append(known, e.Name)
			b.parameter(e)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.file.Set)) {
		if !slices.Contains(known, name) {
			f.Bad("there is no parameter %s; %s", message.Quote(name), message.OneOf(name, known))
		}
		b.program.Label += ":" + name + "=" + b.file.Set[name]
	}
}

// parameter reads one parameter. A duration gives names for its seconds, milliseconds and microseconds.
func (b *binding) parameter(e strictyaml.Entry) {
	if !parameterText.MatchString(e.Name) {
		e.Label.Bad("not the name of a parameter; want small letters and digits, at most 16")
		return
	}
	text := e.Node.Value
	if set, ok := b.file.Set[e.Name]; ok {
		text = set
	}
	d, err := limit.ParseDuration(text)
	switch n, ok := parseNumber(text); {
	case ok:
		b.given[e.Name], _ = n.rat().Float64()
	case err == nil && d > 0:
		us := float64(d.Microseconds())
		b.given[e.Name+"_us"], b.given[e.Name+"_ms"], b.given[e.Name+"_s"] = us, us/1000, us/1e6
	default:
		e.Bad("%s; want a number, or a duration such as 60s", message.Quote(text))
	}
}

// labelText matches valid names of result rows.
var labelText = regexp.MustCompile(`^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$`)

const (
	maxLabel    = 64
	maxElements = 100  // of KEYS, ARGV or a list of replies
	maxTemplate = 1000 // characters
)

// label reads the row's name, or derives it from the file's name.
func (b *binding) label(f strictyaml.Fields) string {
	const want = "want small letters, digits, and hyphens or underscores between them"
	v := f.Get("name")
	if !v.Given() {
		if !labelText.MatchString(b.base) || len(b.base) > maxLabel {
			f.Bad("the file's base name %s cannot be the row's name; set name: to one of at most %d characters; %s",
				message.Quote(b.base), maxLabel, want)
		}
		return b.base
	}
	label := ""
	if v.Text(&label, "a name", maxLabel) && !labelText.MatchString(label) {
		v.Bad("%s is not a name; %s", v.Shown(), want)
	}
	return label
}

// own reads the limit that the script contains.
func own(v strictyaml.Value) *limit.Policy {
	text := ""
	if !v.Given() || !v.Text(&text, "a limit such as 100/1m", maxLabel) {
		return nil
	}
	p, err := limit.ParsePolicy(text)
	if err != nil {
		v.Bad("%s", strings.TrimPrefix(err.Error(), "limit "))
	}
	return &p
}

// call reads keys and args.
func (b *binding) call(f strictyaml.Fields) (c Call) {
	const wantKeys = `a list of templates such as ["rl:{key}"]`
	c.Keys = b.lists(f.Need("keys", wantKeys), wantKeys)
	if v := f.Get("args"); !v.IsList() || len(v.Node.Content) > 0 {
		c.Args = b.lists(v, `a list of templates such as ["{limit}", "{window_s}"]`)
	}
	return c
}

// perClient refuses keys that would give all clients one common limit.
func perClient(f strictyaml.Fields, keys []Template) {
	// a template with an error is nil, and may have had {key}
	named := func(t Template) bool { return t.parts == nil || t.names()&key != 0 }
	if len(keys) > 0 && !slices.ContainsFunc(keys, named) {
		f.Get("keys").Bad(`no key contains {key}, so all clients would share one limit; want a template such as "rl:{key}"`)
	}
}

// templates reads a list of templates.
func (b *binding) templates(v strictyaml.Value, want string) (all []Template) {
	for _, item := range v.List(want, maxElements) {
		all = append(all, b.template(item))
	}
	return all
}

// template reads text, or a whole number in plain decimal, which Redis converts to text. It returns an empty template
// if it reports a problem.
func (b *binding) template(v strictyaml.Value) (t Template) {
	text := v.Node.Value
	switch length := utf8.RuneCountInString(text); {
	case v.IsMapping():
		v.Bad(`a mapping; want a template in quotes, such as "{limit}"`)
	case v.IsNumber():
		if _, ok := plainNumber(v); ok {
			return Literal(text)
		}
	case !v.IsText():
		v.Bad(`%s is not text; want a template such as "{limit}"`, v.Shown())
	case length > maxTemplate:
		v.Bad("%d characters; want at most %d", length, maxTemplate)
	case strings.ContainsFunc(text, message.IsControl):
		v.Bad("%s has control characters; want a template on one line", v.Shown())
	default:
		var err error
		if t, err = parseTemplate(text, b.known, b.names, b.limits[b.at]); err != nil {
			v.Bad("%v", err)
		}
	}
	return t
}

// plainNumber reads a whole number that is written as Redis would write it.
func plainNumber(v strictyaml.Value) (int64, bool) {
	n, err := strconv.ParseInt(v.Node.Value, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != v.Node.Value {
		v.Bad("%s; want a whole number in plain decimal, or text in quotes", v.Shown())
		return 0, false
	}
	return n, true
}

// init reads {script: …, keys: …, args: …}.
func (b *binding) init(f strictyaml.Fields) {
	if !f.Given() {
		return
	}
	call := b.call(f)
	b.program.Init, b.program.InitSource = &call, b.program.Source
	v, name := f.Get("script"), ""
	if !v.Text(&name, "the name of a script", 255) {
		return
	}
	if strings.ContainsAny(name, `/\:`) || !strings.HasSuffix(name, ".lua") {
		v.Bad("%s; want the name of a script in the binding's own folder, such as setup.lua", v.Shown())
		return
	}
	b.program.InitSource = b.beside(v, name)
}

// beside reads another script in the binding's folder.
func (b *binding) beside(v strictyaml.Value, name string) string {
	source, problems := b.file.lua(b.dir + name)
	for _, p := range problems {
		v.Bad("%v", p)
	}
	return source
}
