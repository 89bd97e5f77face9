package simulate

import (
	"fmt"
	"reflect"
	"slices"

	"ratelab/internal/curves"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/replay"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// PartFile is a part and where it comes from.
type PartFile struct {
	Path string
	*Part
}

// ReadPart reads the file of a part. The error is a *result.BadFile.
func ReadPart(path string) (PartFile, error) {
	data, form, err := result.Read(path, result.Shard)
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
	if !sealed.whole() {
		return PartFile{}, &result.BadFile{Path: path, Problem: "it lacks what it must have", Remedy: form.Again}
	}
	return PartFile{path, &sealed.Part}, nil
}

// whole reports whether a part has all that a merge goes by.
func (p *Part) whole() bool {
	for _, run := range p.Runs {
		f := run.Found
		if f == nil || f.Reference == nil || len(f.Lanes) != len(run.Rows) || slices.Contains(f.Lanes, nil) {
			return false
		}
	}
	return p.Shard.Number >= 1 && p.Shard.Number <= p.Shard.Of && len(p.Runs) > 0
}

// Merge is what one job finds of all shards, from the part of each. What does not belong together, is there twice or is
// missing is an *InputError that names it.
func Merge(files []PartFile) (*Result, error) {
	parts, err := inOrder(files)
	if err != nil {
		return nil, &InputError{Err: err}
	}
	first := parts[0]
	all := &Result{Document: report.Document{SchemaVersion: result.Simulation.Version, Tool: first.Tool}}
	server := (&backend{job: &Job{Version: first.Tool.Version}}).describe()
	for i := range first.Runs {
		run, picture, err := mergeRun(parts, i, server)
		if err != nil {
			return nil, &InputError{Err: err}
		}
		all.Document.Runs = append(all.Document.Runs, *run)
		all.Charts = append(all.Charts, *picture)
	}
	return all, nil
}

// inOrder are the parts by their numbers, each of which is there once and belongs to the others.
func inOrder(files []PartFile) ([]PartFile, error) {
	first := files[0]
	parts := make([]PartFile, first.Shard.Of)
	for _, f := range files {
		if err := first.sameJob(f); err != nil {
			return nil, err
		}
		at := &parts[f.Shard.Number-1]
		if at.Part != nil {
			return nil, fmt.Errorf("%s: is shard %v, as %s is; name each shard once", message.Path(f.Path), f.Shard,
				message.Path(at.Path))
		}
		*at = f
	}
	for i, p := range parts {
		if p.Part == nil {
			return nil, fmt.Errorf("shard %v is missing; run simulate again with --shard %[1]v, and name its file, "+
				"too", replay.Shard{Number: i + 1, Of: first.Shard.Of})
		}
	}
	return parts, nil
}

// sameJob says what keeps a part from being one of the same job.
func (f PartFile) sameJob(o PartFile) error {
	other := func(what string, theirs, ours any) error {
		return fmt.Errorf("%s: is of %s %v, and %s of %v; make all shards with the same", message.Path(o.Path), what,
			theirs, message.Path(f.Path), ours)
	}
	switch {
	case o.Tool.Version != f.Tool.Version:
		return other("the version", o.Tool.Version, f.Tool.Version)
	case o.Shard.Of != f.Shard.Of:
		return fmt.Errorf("%s: is shard %v, and %s is %v; name all shards of one job, cut into as many",
			message.Path(o.Path), o.Shard, message.Path(f.Path), f.Shard)
	case len(o.Runs) != len(f.Runs):
		return fmt.Errorf("%s: has %s, and %s has %d; make all shards of the same", message.Path(o.Path),
			message.Count(len(o.Runs), "scenario"), message.Path(f.Path), len(f.Runs))
	}
	for i := range f.Runs {
		ours, theirs := &f.Runs[i], &o.Runs[i]
		if what, a, b := ours.differs(&theirs.Head); what != "" {
			return other(what, b, a)
		}
		if ours.Found.All != theirs.Found.All || !slices.Equal(ours.Notes, theirs.Notes) ||
			!sameRules(ours.Assumed, theirs.Assumed) {
			return fmt.Errorf("%s: read another log than %s, or the log changed in between (%s: %d requests there, %d "+
				"here); make all shards of one log", message.Path(o.Path), message.Path(f.Path), ours.Scenario,
				theirs.Found.All.Requests, ours.Found.All.Requests)
		}
	}
	return nil
}

// differs names the first setting in which two heads differ, and says what it is in each.
func (h *Head) differs(o *Head) (what string, a, b any) {
	for _, s := range []struct {
		what string
		a, b any
	}{
		{"the scenario", h.Scenario, o.Scenario},
		{"the limit", limitAlone(h.Limit), limitAlone(o.Limit)},
		{"the contract", h.Limit.Contract, o.Limit.Contract},
		{"the seed", h.Seed, o.Seed},
		{"the question", message.Quote(h.Question), message.Quote(o.Question)},
		{"the rows", h.labels(), o.labels()},
	} {
		if fmt.Sprint(s.a) != fmt.Sprint(s.b) {
			return s.what, s.a, s.b
		}
	}
	if h.AsWritten != o.AsWritten || !reflect.DeepEqual(h.Expected, o.Expected) || !reflect.DeepEqual(h.Rows, o.Rows) {
		return "a scenario", "with other parameters or expectations", h.Scenario
	}
	return "", nil, nil
}

// limitAlone is the limit without its contract.
func limitAlone(l result.Limit) result.Limit {
	l.Contract = limit.ByWindow
	return l
}

func (h *Head) labels() []string {
	var labels []string
	for _, row := range h.Rows {
		labels = append(labels, row.Algorithm)
	}
	return labels
}

// mergeRun is one scenario of all parts.
func mergeRun(parts []PartFile, i int, server result.Server) (*report.Run, *curves.Input, error) {
	head := &parts[0].Runs[i].Head
	sum, assumed := parts[0].Runs[i].Found, parts[0].Runs[i].Assumed
	var err error
	for _, p := range parts[1:] {
		if sum, err = sum.Plus(p.Runs[i].Found); err != nil {
			return nil, nil, fmt.Errorf("%s: %s: %w", message.Path(p.Path), head.Scenario, err)
		}
		for k, a := range p.Runs[i].Assumed {
			assumed[k] = assumed[k].plus(a)
		}
	}
	outcome, err := sum.Outcome(head.Limit.Policy(), head.labels())
	if err == nil && outcome.Reference.Offered != sum.All.Requests {
		err = fmt.Errorf("the shards have %d requests of %d", outcome.Reference.Offered, sum.All.Requests)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", head.Scenario, err)
	}
	run := head.begin(outcome, server, VirtualClock)
	for k := range head.Rows {
		run.Results = append(run.Results, head.Rows[k].row(outcome.Lanes[k], true))
	}
	head.end(run)
	run.Notes = append(run.Notes, assumedNote(run, assumed)...)
	return run, chart(run, parts[0].Tool.Version, outcome), nil
}

// chart is the course of a run whose rows all had the same requests.
func chart(run *report.Run, version string, o *replay.Outcome) *curves.Input {
	in := &curves.Input{Run: run, Version: version, Traffic: o.Traffic, Reference: &o.ReferenceSeries}
	for i, l := range o.Lanes {
		in.Algorithms = append(in.Algorithms, curves.Lane{Label: run.Results[i].Algorithm, Series: l.Series})
	}
	return in
}
