package benchresult

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"time"

	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/replay"
	"ratelab/internal/result"
)

// Part is what one shard of bench run --shard measured: a document of its own, of which Merge makes that of the run.
// Its figures are such as add up: counts, histograms, instants, and the worst of something.
type Part struct {
	Header
	Server Server       `json:"server"`
	Shard  replay.Shard `json:"shard"`
	// Run is the same in all parts of a run, and in no other.
	Run   string     `json:"run" jsonschema:"pattern=^[0-9a-f]{12}$"`
	Plays []PartPlay `json:"plays"`
}

// PartPlay is one scenario's own traffic.
type PartPlay struct {
	Scenario       string       `json:"scenario"`
	Question       string       `json:"question"`
	ScenarioSHA256 string       `json:"scenario_sha256" jsonschema:"pattern=^[0-9a-f]{64}$"`
	Seed           uint64       `json:"seed"`
	Limit          result.Limit `json:"limit"`
	DurationUS     int64        `json:"duration_us"`
	FromUS         int64        `json:"from_us"`
	PlayedUS       int64        `json:"played_us"`
	OnLate         string       `json:"on_late" jsonschema:"enum=queue,enum=drop,enum=fatal"`
	Dealt          Dealt        `json:"dealt"`
	Rows           []PartRow    `json:"algorithms"`
	Notes          []string     `json:"notes"`
}

// Dealt is how what is played was dealt to the shards.
type Dealt struct {
	ByKey    bool   `json:"by_key"`   // by the keys' hash; else by the requests' numbers
	Requests int64  `json:"requests"` // of all shards, in one round
	Keys     int64  `json:"keys"`     // of all shards
	Digest   string `json:"digest" jsonschema:"pattern=^[0-9a-f]{64}$"`
	Mine     int64  `json:"mine"` // requests of this shard, in one round
}

// PartRow is one algorithm.
type PartRow struct {
	Identity
	// of all requests; only the first shard decides them in virtual time
	Exact  *measure.Result `json:"exact,omitempty"`
	Work   *Work           `json:"work,omitempty"`
	Course *Course         `json:"course,omitempty"` // the same, on the wall clock
	Rounds []PartRound     `json:"rounds"`
	// of all rounds together
	Intervals []Interval `json:"intervals"`
	Health    Health     `json:"health"`
}

// PartRound is one round of the open loop.
type PartRound struct {
	Round     int   `json:"round" jsonschema:"minimum=1"`
	Position  int   `json:"position" jsonschema:"minimum=1"`
	StartedUS int64 `json:"started_us"` // since the part's start
	Offered   int64 `json:"offered"`
	Sent      int64 `json:"sent"`
	Dropped   int64 `json:"dropped"`
	Accepted  int64 `json:"accepted"`
	Rejected  int64 `json:"rejected"`
	// instants since the beginning of what is played; 0 where nothing was due
	FirstDueUS    int64    `json:"first_due_us"`
	LastDueUS     int64    `json:"last_due_us"`
	FirstHandedUS int64    `json:"first_handed_us"`
	LastHandedUS  int64    `json:"last_handed_us"`
	Latency       Outcomes `json:"latency"`
	// of the decisions of all shards; only the first one compares them with virtual time
	DiffersFromVirtual *int64 `json:"differs_from_virtual,omitempty"`
	OutsideLag         *int64 `json:"differs_outside_lag,omitempty"`
}

// ShardMember is one shard of a run.
type ShardMember struct {
	Shard     replay.Shard `json:"shard"`
	Started   time.Time    `json:"started"`
	Machine   Machine      `json:"machine"`
	Generator Generator    `json:"generator"`
	Offered   int64        `json:"offered"`
	Valid     bool         `json:"valid"`
}

// WritePart is WriteJSON for a Part.
func WritePart(w io.Writer, p *Part) error { return result.WriteSealed(w, *p) }

// PartFile is a part and where it comes from.
type PartFile struct {
	Path string
	*Part
}

// ReadPart reads what WritePart wrote. The error is a *result.BadFile.
func ReadPart(path string) (PartFile, error) {
	data, form, err := result.Read(path, result.BenchShard)
	if err != nil {
		return PartFile{}, err
	}
	var sealed struct {
		Part
		result.Seal
	}
	if err := result.Decode(path, data, form, &sealed); err != nil {
		return PartFile{}, err
	}
	if lacks := sealed.lacks(); lacks != "" {
		return PartFile{}, &result.BadFile{Path: path, Problem: "it lacks " + lacks, Remedy: form.Again}
	}
	return PartFile{path, &sealed.Part}, nil
}

// lacks names what a merge goes by and the part does not have.
func (p *Part) lacks() string {
	switch {
	case p.Shard.Number < 1 || p.Shard.Number > p.Shard.Of:
		return "its number"
	case p.Run == "":
		return "the run that it is of"
	case len(p.Plays) == 0:
		return "scenarios"
	}
	for _, play := range p.Plays {
		for _, row := range play.Rows {
			if len(row.Rounds) != p.Settings.Rounds {
				return fmt.Sprintf("rounds of %s under %s", row.Algorithm, play.Scenario)
			}
			for _, round := range row.Rounds {
				if !round.Latency.whole() {
					return fmt.Sprintf("histograms of %s under %s", row.Algorithm, play.Scenario)
				}
			}
		}
	}
	return ""
}

// whole reports whether all histograms are there, of the range and precision of ours.
func (o *Outcomes) whole() bool {
	for _, v := range o.verdicts() {
		for _, s := range v.stretches() {
			if s.Histogram == nil || s.Histogram.Histogram == nil || s.LowestTrackableValue() != LowestUS ||
				s.HighestTrackableValue() != HighestUS || s.SignificantFigures() != SignificantDigits {
				return false
			}
		}
	}
	return true
}

// Terms are what all parts of a run have in common, as a text: that with which shards find each other.
func (p *Part) Terms() (string, error) {
	common := Part{Header: Header{SchemaVersion: p.SchemaVersion, Kind: p.Kind, Tool: p.Tool, Settings: p.Settings},
		Shard: replay.Shard{Of: p.Shard.Of}}
	for _, play := range p.Plays {
		play.Dealt.Mine = 0
		play.Rows = nil
		for _, row := range p.rows(play.Scenario) {
			play.Rows = append(play.Rows, PartRow{Identity: row.Identity})
		}
		common.Plays = append(common.Plays, play)
	}
	text, err := json.Marshal(common)
	return string(text), err
}

func (p *Part) rows(scenario string) []PartRow {
	for _, play := range p.Plays {
		if play.Scenario == scenario {
			return play.Rows
		}
	}
	return nil
}

// DiffersFromTerms says what in the Terms of another part is not as it is here.
func (p *Part) DiffersFromTerms(text string) string {
	var other Part
	if json.Unmarshal([]byte(text), &other) != nil {
		return "is of another version"
	}
	what, theirs, ours := p.differs(&other)
	if what == "" {
		return "was started otherwise"
	}
	return fmt.Sprintf("has %s %v, and this shard %v", what, theirs, ours)
}

// differs names the first thing in which two parts differ that belong to one run, and says what it is in the other one
// and in p.
func (p *Part) differs(o *Part) (what string, theirs, ours any) {
	type pair struct {
		what         string
		theirs, ours any
	}
	all := []pair{
		{"the version", o.Tool.Version, p.Tool.Version},
		{"a number of shards of", o.Shard.Of, p.Shard.Of},
		{"the rounds", o.Settings.Rounds, p.Settings.Rounds},
		{"connections", o.Settings.Connections, p.Settings.Connections},
		{"a warm-up of, in µs,", o.Settings.WarmUpUS, p.Settings.WarmUpUS},
		{"the scenarios", o.names(), p.names()},
	}
	for i := range min(len(p.Plays), len(o.Plays)) {
		a, b := &o.Plays[i], &p.Plays[i]
		in := " of " + b.Scenario
		all = append(all,
			pair{"the limit" + in, a.Limit, b.Limit},
			pair{"the contract" + in, a.Limit.Contract, b.Limit.Contract},
			pair{"the seed" + in, a.Seed, b.Seed},
			pair{"a beginning" + in + ", in µs,", a.FromUS, b.FromUS},
			pair{"a length" + in + ", in µs,", a.PlayedUS, b.PlayedUS},
			pair{"the algorithms" + in, a.labels(), b.labels()},
			pair{"requests of the log" + in, a.Dealt.Requests, b.Dealt.Requests},
			pair{"keys of the log" + in, a.Dealt.Keys, b.Dealt.Keys},
			pair{"a file" + in + " with the SHA-256", a.ScenarioSHA256, b.ScenarioSHA256},
			pair{"a log" + in + " with the digest", a.Dealt.Digest, b.Dealt.Digest},
			pair{"the rule" + in, a.OnLate, b.OnLate},
		)
		for k := range min(len(a.Rows), len(b.Rows)) {
			all = append(all, pair{"a script " + b.Rows[k].Algorithm + " with the SHA-1", a.Rows[k].ScriptSHA1,
				b.Rows[k].ScriptSHA1})
		}
	}
	for _, one := range all {
		if fmt.Sprint(one.theirs) != fmt.Sprint(one.ours) {
			return one.what, one.theirs, one.ours
		}
	}
	if !reflect.DeepEqual(o.Settings, p.Settings) {
		return "the settings", fmt.Sprintf("%+v", o.Settings), fmt.Sprintf("%+v", p.Settings)
	}
	return "", nil, nil
}

func (p *Part) names() []string {
	var all []string
	for _, play := range p.Plays {
		all = append(all, message.Shown(play.Scenario))
	}
	return all
}

func (p *PartPlay) labels() []string {
	var all []string
	for _, row := range p.Rows {
		all = append(all, message.Shown(row.Algorithm))
	}
	return all
}
