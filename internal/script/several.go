package script

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/resp"
	"ratelab/internal/strictyaml"
)

// Asks are the values of ask in a binding whose script is called once for each limit. With order, the calls end at the
// first limit that refuses. With all, each limit is asked. With undo, the calls end at the first limit that refuses,
// and the limits that granted the request are called to take it back. The first value is the default.
var Asks = []string{"order", "all", AskUndo}

// AskUndo is the value of ask that needs undo in the binding.
const AskUndo = "undo"

// LoadSeveral reads a user's script and its binding for several limits on each request. If KEYS or ARGV of the binding
// have a list for each limit, one call decides by all limits, and there is one program. Otherwise there is one program
// for each limit, and ask is one of Asks. It returns the errors of Load.
func LoadSeveral(f File, limits []limit.Limit) (each []*Program, ask string, err error) {
	for i := range limits {
		b := binding{file: f, limits: limits, at: i}
		program, err := b.whole()
		if err != nil {
			return nil, "", err
		}
		if b.program.Own != nil {
			return nil, "", b.wrong("limit: the script contains one limit, but there are several limits; leave it out")
		}
		if b.oneCall {
			if b.gate == nil && b.each == nil {
				return nil, "", b.wrong("reply: or gate: is missing; add one, so that a rejection names its limit")
			}
			return []*Program{program}, "", b.distinct(program.Decide.Keys)
		}
		if b.ask == AskUndo && program.Undo == nil {
			return nil, "", b.wrong("undo: is missing; want the call that takes a granted request back")
		}
		each = append(each, program)
		for j := range i {
			if slices.EqualFunc(each[j].Decide.Keys, program.Decide.Keys, sameKey) {
				return nil, "", b.wrong("keys: the limits %s and %s would share their keys; want {name}, {n} or "+
					"{window_s} in a key", limits[j].Name, limits[i].Name)
			}
		}
		ask = b.ask
	}
	return each, ask, nil
}

// distinct returns an error if two limits share a key.
func (b *binding) distinct(keys []Template) error {
	for i := range keys {
		for j := range i {
			if sameKey(keys[i], keys[j]) {
				return b.wrong("keys: two limits would share a key; want {name}, {n} or {window_s} in each")
			}
		}
	}
	return nil
}

// sameKey reports whether two templates may give the same key. It ignores which part of the key a limit applies to,
// because a part of one key may be equal to another key.
func sameKey(a, b Template) bool {
	return slices.EqualFunc(a.parts, b.parts, func(p, q part) bool {
		p.of, q.of = 0, 0
		return reflect.DeepEqual(p, q)
	})
}

// wrong returns an error about the binding.
func (b *binding) wrong(format string, args ...any) error {
	return strictyaml.Errors{{File: b.dir + b.base + ".yaml", Message: fmt.Sprintf(format, args...)}}
}

// under sets the values that the binding reads, such as {limit}, to those of the limit with index i.
func (b *binding) under(i int) {
	l := b.limits[i]
	b.at, b.known = i, constantsOf(l.Policy)
	if b.program.Own != nil {
		b.known = constantsOf(*b.program.Own)
	}
	b.known["n"], b.known["limits"] = float64(i+1), float64(len(b.limits))
	if l.CountsRequests {
		b.known["cost"] = 1
	}
	maps.Copy(b.known, b.given)
}

// lists reads a list of templates, or {first: […], each: […]}. It repeats the list each for each limit.
func (b *binding) lists(v strictyaml.Value, want string) (all []Template) {
	if !v.IsMapping() {
		return b.templates(v, want)
	}
	f := v.Fields("first", "each")
	if first := f.Get("first"); first.Given() {
		all = b.templates(first, want)
	}
	each := f.Need("each", want)
	b.oneCall = true
	for i := range b.limits {
		b.under(i)
		all = append(all, b.templates(each, want)...)
	}
	b.under(0)
	return all
}

// eachReply says how one call's reply tells whether a limit refused.
type eachReply struct {
	element  path
	admitted *condition
}

// readEach reads the fields reply and gate.
func (b *binding) readEach(f strictyaml.Fields) {
	if reply := f.Get("reply").Fields("element", "admitted"); reply.Given() {
		for i := range b.limits {
			b.under(i)
			one := eachReply{b.elementOf(reply.Get("element")),
				readCondition(reply.Need("admitted", wantReplies), b.known)}
			b.each = append(b.each, one)
		}
		b.under(0)
	}
	if gate := f.Get("gate").Fields("element", "first"); gate.Given() {
		b.gate = &figure{name: "gate", element: elementOf(gate), unitUS: 1}
		gate.Get("first").Integer(&b.gateFirst, 0, 1)
		if len(b.gate.element) == 0 {
			gate.Need("element", "the element with the number of the limit that refused, such as 6")
		}
	}
}

var inBraces = regexp.MustCompile(`^\{.*\}$`)

// elementOf reads the number of an element. The number may be an {expression} of n, the number of the limit.
func (b *binding) elementOf(v strictyaml.Value) path {
	if !v.IsText() || !inBraces.MatchString(v.Node.Value) {
		return elementsOf(v)
	}
	text := v.Node.Value
	t, err := parseExpression(text[1:len(text)-1], b.known, nil)
	if err == nil && (t.low < 1 || t.low > maxIndex || t.low != float64(int64(t.low))) {
		err = fmt.Errorf("the element of limit %d is %v; want a whole number from 1 to %d", b.at+1, t.low, maxIndex)
	}
	if err != nil {
		v.Bad("%q: %v", text, err)
		return nil
	}
	return path{int64(t.low)}
}

// byEach returns the decision of a reply that has an element for each limit.
func (b *replies) byEach(r resp.Value) (d limit.Decision, err error) {
	d.Verdict = limit.Allowed
	for i, one := range b.each {
		v, err := one.element.in(r)
		switch {
		case err != nil:
			return d, err
		case one.admitted.holds(v):
		case one.admitted.judges(v):
			d.Verdict = limit.Rejected
			d.Refused |= 1 << i
		default:
			return d, fmt.Errorf("%v is %v; want %v (admitted) or %s (rejected)", one.element, v, one.admitted,
				one.admitted.others)
		}
	}
	return d, nil
}

// refusedBy returns the limit that the gate element of a rejection names.
func (b *replies) refusedBy(r resp.Value, limits int) (limit.Each, error) {
	n, known, err := b.gate.number(r)
	if err != nil {
		return 0, err
	}
	i := n.whole - b.gateFirst
	if !known || i < 0 || i >= int64(limits) {
		return 0, errors.New("gate names no limit; want the number of the limit that refused")
	}
	return 1 << i, nil
}
