package script

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/resp"
	"ratelab/internal/strictyaml"
)

// readEnds reads ends and renews: the calls at the end of an admitted request, and while it runs. undo is the call
// after another limit has refused the request. Each may have a script of its own, script: FILE.lua or lua: a line of
// Lua, and keys. Otherwise it has those of the start. held says which replies mean that the script still knew the
// request; without it, all do. {id} is the start's, {reserved} the cost with which the start was called, {actual} the
// cost as it is known now, {start_us}, {start_ms} and {start_s} the time of the start, and {reply[3]} the third element
// of its reply.
func (b *binding) readEnds(f strictyaml.Fields) {
	b.names = atEnd
	defer func() {
		b.names = variables
		b.program.KeepsReply = b.program.Ends.repliedTo() || b.program.Undo.repliedTo() || b.program.Renews.repliedTo()
	}()
	if ends := f.Get("ends").Fields("script", "lua", "keys", "args", "held"); ends.Given() {
		b.program.Ends = b.endCall(ends)
	}
	if undo := f.Get("undo").Fields("script", "lua", "keys", "args"); undo.Given() {
		b.program.Undo = b.endCall(undo)
	}
	renews := f.Get("renews").Fields("every", "script", "lua", "keys", "args", "held")
	if !renews.Given() {
		return
	}
	b.program.Renews = b.endCall(renews)
	every, text := renews.Need("every", "how often a request is renewed, such as 20s"), ""
	if !every.Text(&text, "a duration such as 20s", maxLabel) {
		return
	}
	d, err := limit.ParseDuration(text)
	if inBraces.MatchString(text) { // seconds
		var t *term
		t, err = parseExpression(text[1:len(text)-1], b.known, nil)
		d = time.Duration(t.low * 1e9)
	}
	if err != nil || d.Microseconds() < 1000 {
		every.Bad("%s is not a duration from 1ms on; want one such as 20s, or seconds in braces such as {ttl_s / 3}",
			every.Shown())
		return
	}
	b.program.RenewUS = d.Microseconds()
}

// endCall reads one call.
func (b *binding) endCall(f strictyaml.Fields) *Program {
	p := b.program
	p.Init, p.InitSource, p.Remove, p.Ends, p.Renews, p.Undo = nil, "", nil, nil, nil, nil
	p.RetryAt, p.TellsRetry, p.SurvivesErrors, p.Terms = false, false, false, ""
	p.Decide.Args = nil
	if keys := f.Get("keys"); keys.Given() {
		p.Decide.Keys = b.templates(keys, `a list of templates such as ["rl:{key}"]`)
	}
	if args := f.Get("args"); args.Given() && (!args.IsList() || len(args.Node.Content) > 0) {
		p.Decide.Args = b.templates(args, `a list of templates such as ["{id}"]`)
	}
	name, line := f.Get("script"), f.Get("lua")
	switch {
	case name.Given() && line.Given():
		line.Bad("there is a script, too; leave out one of them")
	case name.Given():
		text := ""
		if name.Text(&text, "the name of a script", 255) {
			if strings.ContainsAny(text, `/\:`) || !strings.HasSuffix(text, ".lua") {
				name.Bad("%s; want the name of a script in the binding's own folder, such as release.lua", name.Shown())
			} else {
				p.Source = b.beside(name, text)
			}
		}
	case line.Given():
		line.Text(&p.Source, "a line of Lua", maxTemplate)
	}
	var held *condition
	if v := f.Get("held"); v.Given() {
		held = readCondition(v, b.known)
	}
	p.Decode = func(r resp.Value) (d limit.Decision, err error) {
		switch {
		case r.Kind == resp.Error:
			return d, errors.New(r.Text)
		case held == nil || held.holds(r):
			d.Verdict = limit.Allowed
		case !held.judges(r):
			return d, fmt.Errorf("reply %v: want %v (held) or %s", r, held, held.others)
		}
		return d, nil
	}
	return &p
}
