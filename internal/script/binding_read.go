package script

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"ratelab/internal/message"
	"ratelab/internal/strictyaml"
)

const (
	maxLabel    = 64
	maxElements = 100  // of KEYS, ARGV or a list of replies
	maxTemplate = 1000 // characters
	maxIndex    = 1000 // of a table's element
	maxNesting  = 8
)

// labelText is the rule for the names of all result rows.
var labelText = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// bindingReader reads one binding for one limit.
type bindingReader struct {
	file  string
	known constants
}

// binding reads the whole file. Its result is of use only where no problem was noted.
func (r bindingReader) binding(root strictyaml.Value) *binding {
	f, ok := root.Fields("keys", "args", "admitted", "rejected", "not_configured", "unavailable",
		"element", "remaining", "retry_after", "init", "name")
	if !ok {
		return nil
	}
	b := &binding{label: r.label(f), decide: r.call(f)}
	r.perClient(f, b.decide.Keys)
	r.replies(f, b)
	if v, ok := f.Get("init"); ok {
		r.init(v, b)
	}
	return b
}

// label reads the row's name, or makes it from the file's.
func (r bindingReader) label(f strictyaml.Fields) string {
	const want = "want small letters, digits and hyphens between them"
	v, ok := f.Get("name")
	if !ok {
		base := strings.TrimSuffix(baseOf(r.file), ".yaml")
		if !labelText.MatchString(base) || len(base) > maxLabel {
			f.Bad("the file's base name %s cannot be the row's name; set name: to one of at most %d characters; %s",
				message.Quote(base), maxLabel, want)
		}
		return base
	}
	label, ok := v.Text("a name", maxLabel)
	if ok && !labelText.MatchString(label) {
		v.Bad("%s is not a name; %s", v.Shown(), want)
	}
	return label
}

// call reads keys and args.
func (r bindingReader) call(f strictyaml.Fields) Call {
	var c Call
	if v, ok := f.Need("keys", `a list of templates such as ["rl:{key}"]`); ok {
		c.Keys = r.templates(v, `a list of templates such as ["rl:{key}"]`, 1)
	}
	if v, ok := f.Get("args"); ok && !isEmptyList(v) {
		c.Args = r.templates(v, `a list of templates such as ["{limit}", "{window_s}"]`, 0)
	}
	return c
}

func isEmptyList(v strictyaml.Value) bool {
	return v.Node.Kind == yaml.SequenceNode && len(v.Node.Content) == 0
}

// perClient refuses keys under which all clients would share one limit.
func (r bindingReader) perClient(f strictyaml.Fields, keys []Template) {
	named := func(t Template) bool {
		return slices.ContainsFunc(t.parts, func(p part) bool { return p.kind == key })
	}
	broken := func(t Template) bool { return t.parts == nil } // noted already; it may have had the name
	v, ok := f.Get("keys")
	if ok && len(keys) > 0 && !slices.ContainsFunc(keys, named) && !slices.ContainsFunc(keys, broken) {
		v.Bad(`no key has {key} in it, so that all clients share one; want a template such as "rl:{key}"`)
	}
}

// templates reads a list of templates of at least least characters.
func (r bindingReader) templates(v strictyaml.Value, want string, least int) []Template {
	items, ok := v.List(want, maxElements)
	if !ok {
		return nil
	}
	all := make([]Template, len(items))
	for i, item := range items {
		all[i] = r.template(item, least)
	}
	return all
}

// template reads text, or a whole number in plain decimal, which Redis would make text of in any case. It is empty
// where a problem was noted.
func (r bindingReader) template(v strictyaml.Value, least int) Template {
	text := v.Node.Value
	length := utf8.RuneCountInString(text)
	switch {
	case v.Node.Kind == yaml.MappingNode:
		v.Bad(`a mapping; want a template in quotes, such as "{limit}"`)
	case v.IsNumber():
		if _, ok := plainNumber(v); ok {
			return Literal(text)
		}
	case !v.IsText():
		v.Bad(`%s is not text; want a template such as "{limit}"`, v.Shown())
	case length < least || length > maxTemplate:
		v.Bad("%d characters; want %d to %d", length, least, maxTemplate)
	case strings.ContainsFunc(text, message.IsControl):
		v.Bad("%s has control characters; want a template on one line", v.Shown())
	default:
		t, err := r.known.template(text)
		if err != nil {
			v.Bad("%v", err)
		}
		return t
	}
	return Template{}
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
func (r bindingReader) init(v strictyaml.Value, b *binding) {
	f, ok := v.Fields("script", "keys", "args")
	if !ok {
		return
	}
	call := r.call(f)
	b.init = &call
	v, ok = f.Get("script")
	if !ok {
		return
	}
	name, ok := v.Text("the name of a script", 255)
	if !ok {
		return
	}
	if name != baseOf(name) || strings.ContainsAny(name, `\:`) || !strings.HasSuffix(name, ".lua") {
		v.Bad("%s; want the name of a script in the binding's own folder, such as setup.lua", v.Shown())
		return
	}
	source, problems := readScript(strings.TrimSuffix(r.file, baseOf(r.file)) + name)
	for _, p := range problems {
		v.Bad("%v", p)
	}
	b.initSource = source
}
