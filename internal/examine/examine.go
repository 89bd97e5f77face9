// Package examine plays a corpus of traffic against a limiter's script and judges the decisions. There are two methods.
// First, it compares each decision with known rules, given what the script itself admitted before. A rule may explain
// all decisions. Second, it checks laws that hold for any limiter. Most laws need further plays, whose decisions must
// agree with the first ones.
//
// A finding is a fault, if the script departs from its rule or breaks a law, or a property, if the rule itself behaves
// that way. Each finding has the traffic that shows it. Findings follow from replies and keys. Only notes, which do not
// change a verdict, follow from the script's source.
//
// It does not compare scripts (see run.Compare), and it does not judge costs (see counting).
package examine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// Standard is the limit if the user gave none.
var Standard = limit.Policy{Requests: 100, Window: time.Minute}

// A limit or burst above large is not examined. If the binding passes the limit, a limit of about scaled is examined
// instead, with a few plays at the limit the user asked about.
const (
	large  = 500
	scaled = 10
)

// shortest is the shortest window that is examined. In a shorter window, the rounding errors of scripts are too large.
const shortest = 100 * time.Millisecond

// fewer explains why another limit is examined than the user asked about.
const fewer = "tried besides: the example is shorter"

// Script is a limiter's script, with options for its examination.
type Script struct {
	At    func(limit.Policy) (*limiter.Limiter, error)
	Asked *limit.Policy // the limit the user asked about; nil: none
	// Several returns the limiter for several limits on each request, of which Asked is the first; nil: there is one.
	Several func() (*limiter.Limiter, error)
	Costs   bool // requests may have other costs than 1
	// Shown are requests of a run, at the limit the user asked about. They are played too.
	Shown  []limit.Request
	Search *Search // nil: no search
	// endAtOnce: requests without a duration end within 1 µs, so that a script that counts at the end knows them.
	endAtOnce bool
	// Engine must have its own server, because the script may loop forever.
	Engine run.Engine
}

// Examine examines the script. It returns errors of the server and of the binding.
func (s *Script) Examine(ctx context.Context) (*result.Examination, error) {
	asked := Standard
	if s.Asked != nil {
		asked = *s.Asked
	}
	x, err := s.under(ctx, asked)
	if err != nil {
		return nil, err
	}
	asked = x.policy
	if asked.Contract == limit.ByFlight {
		return s.slots(x)
	}
	at, why := s.policy(asked, x.limiter.Program)
	x.found.NotExamined = why
	if why != "" {
		return x.found, nil
	}
	small, err := s.under(ctx, at)
	if err != nil {
		return nil, err
	}
	if at == asked {
		small = x
	}
	small.found, small.why = x.found, fewer
	err = small.lookFrom(x)
	if x.has("no_limit") && x.limiter.Ends != nil && !s.endAtOnce {
		s.endAtOnce = true
		return s.Examine(ctx)
	}
	if callError(err) != nil {
		err = small.fails(callError(err))
	}
	if err == nil && small.plays > 0 {
		err = small.besides(asked)
	}
	if err == nil && small.admits > 0 && small.limiter.Ends != nil && !x.has("fails") {
		err = small.settlements()
	}
	small.found.Partial = errors.Is(err, message.ErrInterrupted)
	if err == nil && small.plays > 0 {
		small.bound(asked)
		small.undeclared, small.policy = cmp.Or(small.undeclared, x.undeclared), small.found.Limit.Policy()
		small.notes(small.limiter.Program.Source)
	}
	if err == nil && small.plays > 0 && s.Several != nil {
		x.why = ""
		err = x.across()
		small.found.Partial = errors.Is(err, message.ErrInterrupted)
	}
	return small.found, err
}

// lookFrom examines the script. It begins at the limit the user asked about, with plays of few requests.
func (x *examination) lookFrom(asked *examination) error {
	if max(asked.limit, asked.burst) > 2000 {
		asked = x
	}
	err := asked.begin()
	if callError(err) != nil {
		return asked.fails(callError(err))
	}
	if err != nil || x.admits == 0 && x == asked || x.has("shares_keys", "admits_none") {
		return err // further plays would not be independent of each other
	}
	if x != asked {
		found := x.found
		x.found = &result.Examination{}
		err := x.atOnce()
		x.found = found
		if err != nil || x.admits == 0 {
			return err
		}
	}
	return x.look()
}

// begin plays the first volley, and examines the keys.
func (x *examination) begin() error {
	err := x.atOnce()
	if err == nil {
		err = x.keys()
	}
	if err == nil && x.admits > 0 {
		err = x.apart()
	}
	return err
}

// under begins an examination at a limit. It returns errors of the binding.
func (s *Script) under(ctx context.Context, p limit.Policy) (*examination, error) {
	l, err := s.At(p)
	if err != nil {
		return nil, err
	}
	p = l.Policy // the script may have its own limit
	x := &examination{Script: s, ctx: ctx, limiter: l, policy: p, limit: p.Requests, burst: p.Capacity(),
		windowUS: p.WindowUS(), stepUS: 1, found: &result.Examination{Algorithm: l.Label,
			Limit: result.LimitOf(p), ScriptSHA1: script.SHA1(l.Program.Source), Findings: []result.Finding{},
			Checked: []string{}}}
	x.fillUS = x.forCost(x.burst)
	return x, nil
}

// passes reports whether the binding passes the parameters that each change affects.
func (s *Script) passes(p limit.Policy, changes ...func(*limit.Policy)) bool {
	l, err := s.At(p)
	return err == nil && !slices.ContainsFunc(changes, func(change func(*limit.Policy)) bool {
		other := p
		change(&other)
		changed, err := s.At(other)
		return err != nil || l.Program.CalledAlike(changed.Program)
	})
}

// Changes of a limit, for passes. Without a given burst, the burst equals the limit.
func more(p *limit.Policy)     { p.Requests++; p.Burst = 0 }
func longer(p *limit.Policy)   { p.Window *= 2 }
func burstier(p *limit.Policy) { p.Burst = p.Capacity() + 1 }

// policy returns the limit at which the script is examined: the one the user asked about, or a smaller one with the
// same window if the binding passes it. If the script cannot be examined, why is the reason.
func (s *Script) policy(asked limit.Policy, program *script.Program) (at limit.Policy, why string) {
	limits := s.passes(asked, more)
	biggest := max(asked.Requests, asked.Capacity())
	switch {
	case s.Asked == nil && program.Own == nil && !(limits && s.passes(asked, longer)):
		return asked, "the binding does not pass limit and window, and no limit was given; give --limit 100/1m"
	case !limits && biggest > large:
		return asked, fmt.Sprintf("the limit %v is large, and the binding does not pass it, so that a smaller one "+
			"cannot be examined; give a limit of at most %d", asked, large)
	case asked.Window < shortest && !s.passes(asked, longer):
		return asked, fmt.Sprintf("the window of %v is below 100ms, and the binding does not pass it, so that a "+
			"longer one cannot be examined", asked)
	}
	asked.Window = max(asked.Window, shortest)
	if limits && biggest > scaled {
		requests := max(1, asked.Requests*scaled/biggest)
		if asked.Burst > 0 {
			asked.Burst = max(1, asked.Burst*requests/asked.Requests)
		}
		asked.Requests = requests
	}
	return asked, ""
}

// examination is an examination in progress.
type examination struct {
	*Script
	ctx     context.Context
	limiter *limiter.Limiter
	found   *result.Examination
	policy  limit.Policy

	limit, burst     int64
	windowUS, fillUS int64 // fillUS: the time in which an empty bucket fills up to the burst

	why     string // why this limit is not the one the user asked about
	admits  int64  // at one instant; need not equal the burst
	livesUS int64  // how long a key lives after burst + 1 requests; 0: unknown
	stepUS  int64  // between requests that are "at once"
	seconds bool   // the script counts in whole seconds
	rules   []rule // that explain all decisions
	nearly  []rule // that explain all decisions but for a fault
	worstOf *play  // the play with the most admitted in one window
	worstAt limit.Policy
	worstN  int64

	// Results of the decisions up to now.
	decisions                  int64
	plays                      int
	delayUS                    int64 // longest delay of a shaper
	tellsRemaining, tellsReset bool
	left                       virtualtime.Left // keys left after the last batch
	endless                    bool             // a batch left a key without a TTL
	ignored                    string           // a server error that a library did not report
	names                      []string         // of the keys after one request
	namedAtUS                  int64
	lateReleases               bool   // a request was released after it had lost its slot
	undeclared                 string // the first key that is not in KEYS
}

// forCost returns the time in which the limit allows the given number of tokens, rounded up.
func (x *examination) forCost(tokens int64) int64 {
	us, rest := limit.Quotient(tokens, x.windowUS, x.limit, 1<<62)
	if rest {
		us++
	}
	return us
}

// ours matches errors about features that virtual time or the embedded server lacks. They are not faults of the script.
var ours = regexp.MustCompile(`^(virtual time|the embedded server) `)

// fails records a failed call.
func (x *examination) fails(failed *virtualtime.CallError) error {
	if ours.MatchString(failed.Text) {
		x.found.NotExamined, x.found.Findings, x.found.Checked = failed.Text, []result.Finding{}, []string{}
		return nil
	}
	x.say(fault, "fails", nil, "%s", failed.Text)
	return nil
}

// A finding is a fault, if it is wrong for any limiter, or a property of this kind of limiter.
const fault, property = true, false

// say adds a finding, with the traffic that shows it. Faults come before properties.
func (x *examination) say(fault bool, kind string, shown *play, format string, args ...any) *result.Finding {
	f := result.Finding{Kind: kind, Name: result.Kinds[kind].Name, Fault: fault, Text: fmt.Sprintf(format, args...),
		Limit: result.LimitOf(x.policy), Traffic: []result.Volley{}}
	if shown != nil {
		f.Requests, f.Traffic = int64(len(shown.asks)), volleys(x.traffic(shown))
		if fault && !slices.Contains(besidesAdmission, kind) {
			f.Counterexample = x.against(shown)
		}
	}
	if f.Limit != x.found.Limit {
		f.Text = fmt.Sprintf("at %s (%s): %s", inShort(x.policy), x.why, f.Text)
	}
	at := len(x.found.Findings)
	if f.Fault {
		at = x.found.Faults()
	}
	x.found.Findings = slices.Insert(x.found.Findings, at, f)
	return &x.found.Findings[at]
}

// has reports whether there is a finding of one of these kinds.
func (x *examination) has(kinds ...string) bool {
	return slices.ContainsFunc(x.found.Findings, func(f result.Finding) bool { return slices.Contains(kinds, f.Kind) })
}

// besidesAdmission are the kinds of faults that are not about what one limit admits of one client's requests.
var besidesAdmission = []string{"shares_keys", "retry_after", "retry_late", "remaining", "reset_after",
	"never_expires", "silent_fallback", "cluster", "fails", "charges_others", "retry_others"}

// against compares the script's decisions on a play with those of a right limiter: of the rule that explains the script
// but for a fault, or else of the exact rule of the contract. It returns nil if they do not differ, and for requests
// that end, because these rules do not know ends.
func (x *examination) against(p *play) *result.Counterexample {
	if p.has(func(q limit.Request) bool { return q.TakesUS > 0 }) {
		return nil
	}
	y := *x // the decision is no part of the examination
	got, err := y.decide(x.limiter, []*play{p})
	if err != nil {
		return nil
	}
	z := x.sizes()
	if z.atOnce == 0 || z.atOnce >= z.burst-1 { // not a limiter that admits fewer at once by its rule
		z.atOnce = z.burst
	}
	label := algorithms.Exact(x.policy.Contract).Label
	exact := slices.DeleteFunc(rules(), func(r rule) bool { return r.label != label })
	for _, r := range slices.Concat(x.rules, x.nearly, exact) {
		over, under, _ := r.departures(got[0], z, scenario.DefaultStart.UnixMicro(), x.toleranceUS())
		if over+under > 0 {
			return &result.Counterexample{Requests: x.traffic(p), Script: got[0].got, Right: r.decide(got[0], z),
				Rule: r.name()}
		}
	}
	return nil
}

// evaluate lets the script decide the plays, and then the further plays that the laws derive from them.
func (x *examination) evaluate(l *limiter.Limiter, plays []*play, laws []*law) ([]*outcome, error) {
	all, err := x.decide(l, plays)
	if err != nil {
		return nil, err
	}
	var further []*play
	for _, p := range all {
		for _, law := range laws {
			if law.derive != nil && law.applies(x, p.play) {
				further = append(further, law.derive(x, p)...)
			}
		}
	}
	decided, err := x.decide(l, further)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		p.derived = map[*law][]*outcome{}
		for _, law := range laws {
			if law.derive != nil && law.applies(x, p.play) {
				n := len(law.derive(x, p))
				p.derived[law], decided = decided[:n], decided[n:]
			}
		}
	}
	return all, nil
}

// breaches returns the plays that break a law.
func (x *examination) breaches(law *law, all []*outcome) (found []*breach) {
	for _, p := range all {
		if !law.applies(x, p.play) {
			continue
		}
		if law.derive != nil && law.kinds != "counts_rejected" && len(p.derived[law]) == 0 {
			continue
		}
		if b := law.judge(x, p, p.derived[law]); b != nil {
			b.law, b.of = law, p.play
			found = append(found, b)
		}
	}
	return found
}

// broken returns, for each kind of breach, the one with the fewest requests, in the order of the laws.
func (x *examination) broken(all []*outcome) (found []*breach) {
	for _, law := range laws {
		of := map[string][]*breach{}
		var kinds []string
		for _, b := range x.breaches(law, all) {
			if of[b.kind] == nil {
				kinds = append(kinds, b.kind)
			}
			of[b.kind] = append(of[b.kind], b)
		}
		for _, kind := range kinds {
			b := smallest(of[kind])
			if i := slices.IndexFunc(of[kind], func(b *breach) bool { return b.fault }); i >= 0 && !b.fault {
				b = of[kind][i]
			}
			found = append(found, b)
		}
	}
	return found
}

// tell adds the finding of a breach, after making its play as small as possible.
func (x *examination) tell(b *breach) error {
	if x.has(b.kind) {
		return nil
	}
	b, err := x.shrink(b)
	if err != nil {
		return err
	}
	words := inWords(b.shown)
	if b.kind == "retry_late" {
		words = inWords(b.of.of(b.shown.asks[:len(b.shown.asks)-1]))
		if b.text, err = x.late(b); err != nil {
			return err
		}
	}
	x.say(b.fault, b.kind, b.shown, "%s: %s", words, b.text).BehindUS = b.behindUS
	return nil
}

// unseen adds findings that do not follow from the replies.
func (x *examination) unseen(all []*outcome) {
	x.plays = len(all)
	if x.endless && x.limiter.Program.Init == nil && !x.has("never_expires") {
		x.say(fault, "never_expires", nil, "after some plays a key has no TTL")
	}
	if x.ignored != "" {
		x.say(fault, "silent_fallback", all[0].play, "the server answers %q, and it decides all the same", x.ignored)
	}
}

// look examines the script at one limit.
func (x *examination) look() error {
	costs := x.takesCost() || x.Costs
	corpus := x.corpus(costs)
	all, err := x.evaluate(x.limiter, corpus, laws)
	if err == nil && x.Search != nil {
		var more []*outcome
		more, err = x.beyond(corpus, costs)
		all = append(all, more...)
	}
	if err != nil {
		return err
	}
	x.unseen(all)
	exact, nearest := x.fitAny(all, x.toleranceUS())
	broken := x.broken(all)
	seen := slices.Clone(broken)
	x.worst(all)
	if len(exact) == 0 {
		if broken, err = x.unexplained(all, broken, nearest); err != nil {
			return err
		}
	} else {
		x.rules = exact
		x.family()
	}
	if x.has("never_expires") {
		broken = slices.DeleteFunc(broken, func(b *breach) bool {
			return b.kind == "starves" || b.kind == "expires_late"
		})
	}
	for _, b := range dropped(broken) {
		if err := x.tell(b); err != nil {
			return err
		}
	}
	x.checked(all, seen)
	return nil
}

// unexplained looks for a change that makes a rule explain all decisions, and adds the finding. It returns the breaches
// that have another cause.
func (x *examination) unexplained(all []*outcome, broken []*breach, nearest fitted) ([]*breach, error) {
	c, exact, after, err := x.butFor(all)
	if err != nil {
		return nil, err
	}
	faults := slices.ContainsFunc(broken, func(b *breach) bool { return b.fault })
	if len(exact) == 0 {
		if slices.ContainsFunc(broken, (*breach).ofRejected) {
			after, err := x.changed(change{rejected: true}, all, laws)
			if err != nil {
				return nil, err
			}
			still := x.broken(after)
			broken = slices.DeleteFunc(broken, func(b *breach) bool {
				return !b.ofRejected() && b.kind != "loses_fraction" &&
					!slices.ContainsFunc(still, func(o *breach) bool { return o.kind == b.kind })
			})
		}
		if x.has("never_expires") {
			return broken, nil
		}
		law := departs(nearest.rule, x.toleranceUS(), &change{kind: "nearest"})
		b, err := x.shrink(smallest(x.breaches(law, all)))
		if err == nil {
			x.found.Nearest = nearest.name()
			x.say(property, result.Nearest, b.shown, "%s: %s", inWords(b.shown), b.text)
		}
		return broken, err
	}
	if c.ttls != (script.TTLs{}) {
		late := true
		for _, p := range all {
			over, _, _ := x.departures(&exact[0], p, x.toleranceUS())
			late = late && over == 0
		}
		if late {
			c.kind, c.but, c.none = "expires_late", "but its keys expire too late", "; none if its keys expired in time"
		}
	}
	x.found.Family, x.nearly = exact[0].name()+", "+c.but, exact
	isCost := func(b *breach) bool { return b.shown.has(costly) && !b.ofHints() }
	still := x.broken(after)
	if c.tolerance > 0 {
		x.seconds = true
		still = x.broken(all)
	}
	rest := slices.DeleteFunc(slices.Clone(broken), func(b *breach) bool {
		return !slices.ContainsFunc(still, func(o *breach) bool { return o.kind == b.kind })
	})
	costs := strings.HasPrefix(c.kind, "costs")
	if i := slices.IndexFunc(broken, func(b *breach) bool { return b.fault && isCost(b) }); costs && i >= 0 {
		return slices.Insert(rest, 0, broken[i]), nil // the law's text is simpler
	}
	if i := slices.IndexFunc(broken, (*breach).ofRejected); c.rejected && i >= 0 {
		return slices.Insert(rest, 0, broken[i]), nil
	}
	if c.kind == "expires_late" && x.has("never_expires") {
		return rest, nil
	}
	tolerance := x.toleranceUS()
	found := x.breaches(departs(exact[0], tolerance, &c), all)
	if len(found) == 0 {
		return rest, nil
	}
	b := smallest(found)
	if c.tolerance > 0 && !faults {
		b.fault = false
	}
	isFault := b.fault
	if b, err = x.shrink(b); err != nil {
		return nil, err
	}
	kind := b.kind
	if costs { // rejected requests may be the cause
		only := x.changedPlays(change{rejected: true, last: true}, []*outcome{{play: b.shown, got: b.got}})
		without, err := x.evaluate(x.limiter, only, nil)
		if err != nil {
			return nil, err
		}
		if len(x.breaches(b.law, without)) == 0 {
			kind = "counts_rejected"
		}
	}
	x.say(isFault, kind, b.shown, "%s: %s", inWords(b.shown), b.text)
	return rest, nil
}

// dropped returns the breaches without those that another breach explains.
func dropped(all []*breach) []*breach {
	has := func(kind string) bool {
		return slices.ContainsFunc(all, func(b *breach) bool { return b.kind == kind })
	}
	return slices.DeleteFunc(slices.Clone(all), func(b *breach) bool {
		return b.kind == "silence_gives" && has("over") || b.kind == "expires_late" && has("starves") ||
			b.kind == "retry_late" && has("retry_after") || b.kind == "cost_over_burst" && has("ignores_cost") ||
			b.ofRejected() && has("loses_fraction")
	})
}

// family determines the kind of limiter.
func (x *examination) family() {
	switch {
	case x.delayUS > 0:
		x.found.Family = "a shaper, which delays what it admits by up to " + report.Briefly(x.delayUS)
	case len(x.rules) > 0:
		x.found.Family = x.rules[0].name()
	}
}

// inShort formats a limit without its contract.
func inShort(p limit.Policy) string { return strings.TrimSuffix(p.String(), " by bucket") }

// bound adds a finding if the limiter admits more than the contract allows. It names the most that the explaining rule
// admits at the limit the user asked about, and the most that was admitted in a play.
func (x *examination) bound(asked limit.Policy) {
	may := asked.Requests
	if asked.Contract == limit.ByBucket {
		may += asked.Capacity()
	}
	if x.worstOf == nil || x.delayUS > 0 || x.has("no_limit", "admits_none", "fails") {
		return
	}
	ratio := float64(x.worstN) / float64(x.worstAt.Requests)
	text := fmt.Sprintf("%d in %s in the worst play, %.2f x the limit", x.worstN,
		report.Span(x.worstAt.WindowUS()), ratio)
	if x.worstAt != asked {
		text += " of " + inShort(x.worstAt)
	}
	most := int64(0)
	if len(x.rules) > 0 && x.admits == x.burst {
		most = x.rules[0].most(asked)
	}
	switch {
	case most > may:
		text = fmt.Sprintf("%s admits up to %d in %s; %s", x.rules[0].name(), most, report.Span(asked.WindowUS()), text)
	case most > 0 || ratio*float64(asked.Requests) <= float64(may):
		return
	default:
		text = "admits " + text
	}
	x.policy = x.worstAt
	x.say(property, "exceeds", x.worstOf, "").Text = text
}

// worst finds the play with the most admitted in one window, and the part of the play that shows it. Only plays of one
// client with cost 1 count. For a shaper, a request counts at the time at which it leaves.
func (x *examination) worst(all []*outcome) {
	for _, p := range all {
		if p.has(costly) || p.has(others) || p.has(skewed) {
			continue
		}
		var at []int64
		var number []int
		for i, d := range p.got {
			if d.Allowed() {
				at, number = append(at, p.asks[i].AtUS+d.DelayUS), append(number, i)
			}
		}
		slices.Sort(at)
		for i, from := 0, 0; i < len(at); i++ {
			for from < i && at[from] <= at[i]-x.windowUS { // delays can have any order
				from++
			}
			if n := int64(i - from + 1); n > x.found.Worst {
				x.found.Worst, x.worstOf, x.worstAt, x.worstN = n, p.of(p.asks[:number[i]+1]), x.policy, n
			}
		}
	}
}

// checked notes how much was tried, and which laws held.
func (x *examination) checked(all []*outcome, broken []*breach) {
	words := []string{fmt.Sprintf("%s plays, %s decisions at %s", message.Grouped(int64(x.plays)),
		message.Grouped(x.decisions), inShort(x.policy))}
	if x.Search != nil {
		words[0] += fmt.Sprintf(" (searched with seed %d)", x.Search.Seed)
	}
	for _, law := range laws {
		n := 0
		for _, p := range all {
			if law.applies(x, p.play) && (law.derive == nil || len(p.derived[law]) > 0) {
				n += max(1, len(p.derived[law]))
			}
		}
		isBroken := slices.ContainsFunc(broken, func(b *breach) bool { return b.law == law })
		if n > 0 && law.holds != "" && !isBroken {
			words = append(words, fmt.Sprintf("%s (%s)", law.holds, message.Grouped(int64(n))))
		}
	}
	words = append(words, "keys apart")
	if !x.has("never_expires") {
		words = append(words, "TTL")
	}
	if !x.has("cluster") {
		words = append(words, "a cluster")
	}
	x.found.Checked = words
}
