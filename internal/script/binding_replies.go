package script

import (
	"slices"

	"go.yaml.in/yaml/v4"

	"ratelab/internal/resp"
	"ratelab/internal/strictyaml"
)

const wantReplies = `a list of replies such as [1] or an expression such as ">= 0"`

// replies reads what the script's replies mean.
func (r bindingReader) replies(f strictyaml.Fields, b *binding) {
	if v, ok := f.Get("element"); ok {
		b.element = readPath(v)
	}
	admitted, ok := f.Need("admitted", wantReplies)
	if ok {
		b.admitted = r.condition(admitted)
	}
	if v, ok := f.Get("rejected"); ok {
		b.rejected = r.condition(v)
		apart(v, b.rejected, "admitted", b.admitted)
	}
	r.furtherOutcomes(f, b)
	if v, ok := f.Get("remaining"); ok {
		b.remaining = readFigure(v)
	}
	if v, ok := f.Get("retry_after"); ok {
		b.waitTime = readDuration(v)
	}
}

// furtherOutcomes reads which replies are neither a plain yes nor a plain no.
func (r bindingReader) furtherOutcomes(f strictyaml.Fields, b *binding) {
	if v, ok := f.Get("not_configured"); ok {
		b.notConfigured = r.condition(v)
		apart(v, b.notConfigured, "admitted", b.admitted)
		apart(v, b.notConfigured, "rejected", b.rejected)
	}
	v, ok := f.Get("unavailable")
	switch {
	case !ok:
		return
	case v.IsText() && v.Node.Value == anyError{}.String():
		b.unavailable = anyError{}
	default:
		b.unavailable = r.condition(v)
	}
	apart(v, b.unavailable, "admitted", b.admitted)
	apart(v, b.unavailable, "rejected", b.rejected)
	apart(v, b.unavailable, "not_configured", b.notConfigured)
}

// apart refuses a value at v that a list before it has, too.
func apart(v strictyaml.Value, here condition, name string, before condition) {
	list, ok1 := here.(oneOf)
	earlier, ok2 := before.(oneOf)
	if !ok1 || !ok2 {
		return
	}
	for _, w := range list {
		if earlier.holds(w) {
			v.Bad("%v is listed under %s too; want it once", oneOf{w}, name)
		}
	}
}

// condition reads a list of values or an expression; nil where it is neither.
func (r bindingReader) condition(v strictyaml.Value) condition {
	if v.Node.Kind == yaml.SequenceNode {
		items, ok := v.List(wantReplies, maxElements)
		if !ok {
			return nil
		}
		list := make(oneOf, len(items))
		for i, item := range items {
			list[i] = readValue(item)
		}
		if !slices.ContainsFunc(list, func(v resp.Value) bool { return v.Kind != resp.Nil }) {
			return nilness(true) // what is not nil is then of no listed kind, but it is plain what it means
		}
		return list
	}
	if !v.IsText() || len(v.Node.Value) > maxTemplate {
		v.Bad("%s; want %s", v.Shown(), wantReplies)
		return nil
	}
	c, err := parseExpression(v.Node.Value, r.known)
	if err != nil {
		v.Bad("%v", err)
		return nil
	}
	return c
}

// readValue reads one value as Redis turns Lua's into replies: true becomes 1, false and nil become nil.
func readValue(v strictyaml.Value) resp.Value {
	switch {
	case v.IsNull(), v.IsText() && !v.IsQuoted() && v.Node.Value == "nil":
		return resp.Value{Kind: resp.Nil}
	case v.IsText():
		return resp.Value{Kind: resp.String, Text: v.Node.Value}
	case v.Node.Tag == "!!bool" && v.Node.Kind == yaml.ScalarNode:
		if v.Node.Value == "false" || v.Node.Value == "False" || v.Node.Value == "FALSE" {
			return resp.Value{Kind: resp.Nil}
		}
		return resp.Value{Kind: resp.Int, Int: 1}
	case v.IsNumber():
		n, _ := plainNumber(v)
		return resp.Value{Kind: resp.Int, Int: n}
	}
	v.Bad("%s; want a reply: a whole number, text in quotes, true, false or nil", v.Shown())
	return resp.Value{}
}

// readPath reads 2, or [2, 1] for the first element of the second.
func readPath(v strictyaml.Value) path {
	items := []strictyaml.Value{v}
	if v.Node.Kind == yaml.SequenceNode {
		list, ok := v.List("an element's number from 1 on, such as 2 or [2, 1]", maxNesting)
		if !ok {
			return nil
		}
		items = list
	}
	p := make(path, len(items))
	for i, item := range items {
		n, _ := item.Integer(1, maxIndex)
		p[i] = int(n)
	}
	return p
}

// readFigure reads {element: 2}.
func readFigure(v strictyaml.Value) *figure {
	f, ok := v.Fields("element")
	if !ok {
		return nil
	}
	return &figure{element: elementOf(f), unitUS: 1}
}

// readDuration reads {element: 3, unit: ms}.
func readDuration(v strictyaml.Value) *figure {
	f, ok := v.Fields("element", "unit")
	if !ok {
		return nil
	}
	d := &figure{element: elementOf(f)}
	if v, ok := f.Need("unit", "one of s, ms, us"); ok {
		unit, _ := v.Choice("s", "ms", "us")
		d.unitUS = map[string]int64{"s": 1_000_000, "ms": 1000, "us": 1}[unit]
	}
	return d
}

func elementOf(f strictyaml.Fields) path {
	if v, ok := f.Get("element"); ok {
		return readPath(v)
	}
	return nil
}
