package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ratelab/internal/benchresult"
	"ratelab/internal/lineup"
	"ratelab/internal/load"
	"ratelab/internal/meeting"
	"ratelab/internal/play"
	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
	"ratelab/internal/result"
)

// ErrShardStopped is a shard that was told to stop: nothing could be made of a part of it.
var ErrShardStopped = errors.New("stopped before its end")

// CheckShard is Check for RunShard.
func (j *Job) CheckShard() error {
	_, err := j.shardPlan()
	return err
}

// shardPlan is the plan of a shard; the error, an *InputError, has everything that is wrong with it.
func (j *Job) shardPlan() (*plan, error) {
	p, err := j.plan()
	if err != nil {
		return nil, err
	}
	var wrong lineup.Problems
	if !strings.Contains(j.Server, "://") {
		wrong.Bad(fmt.Errorf("--shard: all shards play on one server, and --redis %s would be one of its own for "+
			"each; say --redis redis://HOST:PORT or unix:///SOCKET", orDefault(j.Server)))
	}
	if j.RepeatInvalid > 0 {
		wrong.Bad(errors.New("--shard: --repeat-invalid measures again for itself, and the shards go in step; leave " +
			"one of them out"))
	}
	for _, r := range p.runs {
		if r.Scenario.Reactive() {
			wrong.Bad(fmt.Errorf("--shard: %s: its clients react to answers, so that nobody knows its requests "+
				"before; leave it out, or play it whole", r.Scenario.Name))
		}
	}
	return p, wrong.Err()
}

func orDefault(spec string) string {
	if spec == "" {
		return "container or process, as where nothing is said,"
	}
	return redisserver.Repeat(spec)
}

// RunShard plays the requests of one shard, with the other shards of the run, each in a process of its own. The errors
// are those of Run, and a *meeting.Lost, a *meeting.Refusal or ErrShardStopped.
func (j *Job) RunShard(ctx context.Context) (*benchresult.Part, error) {
	p, err := j.shardPlan()
	if err != nil {
		return nil, err
	}
	if err := p.try(ctx); err != nil {
		return nil, err
	}
	server, note, err := startServer(ctx, p.Server, p.Connections+2, p.AllowEviction, p.Notice)
	if err != nil {
		return nil, err
	}
	s := &session{now: p.Now, sleep: p.Sleep, stop: p.Stop, began: p.Now(),
		lasts: p.longest() + lineup.LongestAlignment}
	s = newSession(server, p.Server, note, s)
	r := &run{plan: p, session: s, progress: newProgress(p.Progress, p.shardTime())}
	r.prepare()
	back := quietly()
	part, err := r.shard(ctx)
	back()
	if err = s.close(ctx, err); err != nil {
		return nil, err
	}
	return part, nil
}

// shard does the job of one shard.
func (r *run) shard(ctx context.Context) (*benchresult.Part, error) {
	if err := r.watch(ctx); err != nil {
		return nil, err
	}
	c := &company{run: r}
	for _, p := range r.runs {
		d := deal(p.part.Requests, r.Shard)
		c.dealt = append(c.dealt, d)
		c.whole = append(c.whole, p.part)
	}
	part := c.part(ctx)
	if err := c.join(ctx, part); err != nil {
		return nil, stopped(err)
	}
	err := c.measure(ctx, part)
	if err == nil {
		// whoever made the keys ready deletes them, when nobody plays any more
		_, err = c.meeting.Say(ctx, "")
	}
	why := ""
	if err = stopped(err); err != nil {
		why = err.Error()
	}
	c.meeting.Leave(ctx, why)
	if err != nil {
		return nil, err
	}
	part.TookUS, part.Notes = r.since(r.now()), append(part.Notes[:0], r.notes...)
	part.Validity = validity(r.reasons)
	part.Generator.Pacer = pacerName(r.pacer)
	return part, nil
}

// stopped words what a stop, or the loss of another shard, looks like from anywhere.
func stopped(err error) error {
	if errors.Is(err, errStopped) || errors.Is(err, meeting.ErrStopped) || errors.Is(err, replay.ErrStopped) {
		return ErrShardStopped
	}
	if lost := (*meeting.Lost)(nil); errors.As(err, &lost) {
		return lost // whatever was under way
	}
	return err
}

// shardTime is how long the plays probably take.
func (p *plan) shardTime() (d time.Duration) {
	for _, r := range p.runs {
		d += exactTime + time.Duration(p.Rounds*len(r.Entries))*p.openTime(r)
	}
	return d
}

// company is a shard among the others.
type company struct {
	*run
	meeting *meeting.Meeting
	whole   []*play.Part // by scenario: what all shards play
	dealt   []*dealt     // by scenario
	keys    string       // begins the keys of the plays: they are the first shard's own
	plays   int          // so far, with those that came late
	at      int          // the scenario that is played
}

// part is what is known of the shard's document before anything is measured.
func (c *company) part(ctx context.Context) *benchresult.Part {
	part := &benchresult.Part{Header: c.header(result.BenchShard.Kind, c.Version), Shard: c.Shard,
		Server: describe(ctx, c.server, c.spec)}
	part.SchemaVersion = result.BenchShard.Version
	part.Settings = c.settings()
	part.Settings.Sweep, part.Settings.SegmentUS = []int{}, 0
	for i, p := range c.runs {
		run := c.scenarioRun(i, p)
		play := benchresult.PartPlay{Scenario: run.Scenario, Question: run.Question,
			ScenarioSHA256: run.ScenarioSHA256, Seed: run.Seed, Limit: run.Limit, DurationUS: run.DurationUS,
			FromUS: run.FromUS, PlayedUS: run.PlayedUS, OnLate: run.OnLate, Dealt: c.dealt[i].Dealt, Notes: run.Notes}
		for _, row := range run.Rows {
			play.Rows = append(play.Rows, benchresult.PartRow{Identity: row.Identity})
		}
		part.Plays = append(part.Plays, play)
	}
	return part
}

// join finds the others.
func (c *company) join(ctx context.Context, part *benchresult.Part) error {
	terms, err := part.Terms()
	if err != nil {
		return err
	}
	c.progress.step("waiting for the other shards", 0)
	c.meeting, err = meeting.Join(ctx, c.server.Client, meeting.Options{
		Name: c.Meeting, Number: c.Shard.Number, Of: c.Shard.Of, Token: c.server.Prefix, What: terms, Wait: c.Wait,
		Sleep: c.sleep, Now: c.now, Stop: c.stop, Differ: part.DiffersFromTerms,
	})
	if ofServer(err) {
		err = redisserver.Explain(err, c.server)
	}
	if err != nil {
		return err
	}
	id := strings.Split(c.meeting.First(), ":")
	part.Run = id[len(id)-2]
	return nil
}

// First reports whether this shard makes the keys ready, and judges what came of them.
func (c *company) First() bool { return c.Shard.Number == 1 }

// Whole is what all shards play.
func (c *company) Whole() *play.Part { return c.whole[c.at] }

// Aim gives all the same beginning, and the same new keys.
func (c *company) Aim(ctx context.Context, aim func() play.Aim) (play.Aim, error) {
	// once all are there, the first one takes aim
	if _, err := c.meeting.Say(ctx, ""); err != nil {
		return play.Aim{}, err
	}
	c.plays++
	var text string
	if c.First() {
		a := aim()
		a.Prefix = fmt.Sprintf("%ss%05d:", c.server.Prefix, c.plays)
		encoded, err := json.Marshal(a)
		if err != nil {
			return a, err
		}
		text = string(encoded)
	}
	said, err := c.meeting.Say(ctx, text)
	if err != nil {
		return play.Aim{}, err
	}
	var a play.Aim
	err = json.Unmarshal([]byte(said[0]), &a)
	c.keys = a.Prefix
	return a, err
}

// End tells the others how an attempt went here, and hears how it went for them.
func (c *company) End(ctx context.Context, e play.Ending) (play.Ending, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return e, err
	}
	said, err := c.meeting.Say(ctx, string(text))
	if err != nil {
		return e, err
	}
	var all play.Ending
	for i, one := range said {
		var e play.Ending
		if err := json.Unmarshal([]byte(one), &e); err != nil {
			return all, err
		}
		if e.Stopped && i+1 != c.Shard.Number {
			return all, &meeting.Lost{Numbers: []int{i + 1}, What: "gave up: it was " + ErrShardStopped.Error()}
		}
		all.Late, all.Took = all.Late || e.Late, max(all.Took, e.Took)
	}
	return all, nil
}

// measure plays everything in step with the others.
func (c *company) measure(ctx context.Context, part *benchresult.Part) error {
	if c.First() {
		if err := c.decideAll(ctx); err != nil {
			return err
		}
	}
	for i, p := range c.runs {
		c.at = i
		for number := 1; number <= c.Rounds; number++ {
			for position, k := range order(len(p.Entries), number) {
				found, err := c.playOne(ctx, p, k, number)
				if err != nil {
					return err
				}
				found.position = position + 1
				c.rows[i][k].add(number, found)
				row := &part.Plays[i].Rows[k]
				row.Rounds = append(row.Rounds, found.part(number))
			}
		}
		for k, e := range p.Entries {
			row, full := &part.Plays[i].Rows[k], c.rows[i][k]
			row.Intervals, row.Health = series(full.intervals), full.open.Health
			if c.First() {
				v := &c.virtual[i][k]
				limiter := full.record(e, v, nil)
				row.Exact, row.Work, row.Course = limiter.Exact, &limiter.Work, full.course
			}
		}
		if c.First() {
			part.Plays[i].Notes = append(part.Plays[i].Notes, c.differences(i, p)...)
		}
	}
	return nil
}

// playOne plays the shard's requests of a scenario to an entry once.
func (c *company) playOne(ctx context.Context, p *contest, k, number int) (*openRound, error) {
	e := p.Entries[k]
	where := fmt.Sprintf("%s %s round %d", p.Scenario.Name, e.Label, number)
	c.reasons = append(c.reasons, c.silences("before "+where, mostInBatches)...)
	c.progress.step(where, c.openTime(p))
	if c.WarmUp > 0 {
		if _, err := c.warm(ctx, e, c.Connections, c.WarmUp); err != nil {
			return nil, err
		}
	}
	mine := *p
	mine.part = c.dealt[c.at].of(p.part)
	found, err := c.played(ctx, &mine, e, c.Connections, c)
	if err != nil {
		return nil, err
	}
	reasons := slices.DeleteFunc(found.Reasons(), func(r load.Reason) bool {
		return r.Code == load.ReasonNothing && len(mine.part.Requests) == 0 // another shard has what there is
	})
	c.reasons = append(c.reasons, c.heard(where, c.blame(where, reasons, &found.account, found.Sent))...)
	whole, err := c.gather(ctx, found)
	if err != nil || whole == nil {
		return found, err
	}
	judged := &openRound{Played: whole}
	if err := c.judge(ctx, p, e, &c.virtual[c.at][k], judged); err != nil {
		return nil, err
	}
	found.differs, found.course = judged.differs, judged.course
	return found, nil
}

// part writes one round down.
func (o *openRound) part(number int) benchresult.PartRound {
	out := benchresult.PartRound{Round: number, Position: o.position, StartedUS: o.startedUS,
		Offered: o.Offered, Sent: o.Sent, Dropped: o.Dropped, Accepted: o.Accepted, Rejected: o.Rejected,
		FirstDueUS: o.FirstDue.Microseconds(), LastDueUS: o.LastDue.Microseconds(),
		FirstHandedUS: o.FirstHanded.Microseconds(), LastHandedUS: o.LastHanded.Microseconds(), Latency: outcomes()}
	merge(&out.Latency, o.OfAccepted, o.OfRejected)
	if o.differs != nil {
		out.DiffersFromVirtual, out.OutsideLag = &o.differs.Count, &o.differs.Unexplained
	}
	return out
}

// gather brings the answers to all shards' requests to the first one, which gets all of them together; the others get
// nil.
//
// Note: whether lag explains a decision, and what was in a window, depends on all requests for a key, which several
// shards may have. Their sums would not tell.
func (c *company) gather(ctx context.Context, found *openRound) (*play.Played, error) {
	key := func(number int) string { return fmt.Sprintf("%sanswers:%d", c.keys, number) }
	if !c.First() {
		text := packed(found.Answers)
		if err := c.server.Client.Set(ctx, key(c.Shard.Number), text, c.lasts+answersKept).Err(); err != nil {
			return nil, redisserver.Explain(err, c.server)
		}
	}
	if _, err := c.meeting.Say(ctx, ""); err != nil || !c.First() {
		return nil, err
	}
	whole := *found.Played
	part := c.whole[c.at]
	whole.Answers = make([]play.Answer, len(part.Requests))
	for i := range c.Shard.Of {
		shard := replay.Shard{Number: i + 1, Of: c.Shard.Of}
		its := found.Answers
		if shard != c.Shard {
			text, err := c.server.Client.Get(ctx, key(shard.Number)).Bytes()
			if err == nil {
				err = c.server.Client.Del(ctx, key(shard.Number)).Err()
			}
			if err == nil {
				its, err = unpacked(text)
			}
			if err != nil {
				return nil, fmt.Errorf("the answers of shard %v: %w", shard, redisserver.Explain(err, c.server))
			}
		}
		numbers := c.dealt[c.at].numbersOf(part.Requests, shard)
		if len(its) != len(numbers) {
			return nil, fmt.Errorf("shard %v has %d answers to %d requests", shard, len(its), len(numbers))
		}
		for n, number := range numbers {
			whole.Answers[number] = its[n]
		}
	}
	return &whole, nil
}
