package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"ratelab/internal/accesslog"
	"ratelab/internal/cli"
	"ratelab/internal/result"
)

// maxShown is the most bad lines that are shown.
const maxShown = 3

// moved returns an error FILE:LINE: TEXT with a line number that is higher by lines.
func moved(text, name string, lines int64) string {
	number, rest, _ := strings.Cut(strings.TrimPrefix(text, name+":"), ":")
	n, _ := strconv.ParseInt(number, 10, 64)
	return fmt.Sprintf("%s:%d:%s", name, n+lines, rest)
}

// add adds the findings of the file's next piece.
func (r *Read) add(next *Read) {
	f, o := r.Found, next.Found
	for _, text := range o.Shown[:min(len(o.Shown), maxShown-len(f.Shown))] {
		f.Shown = append(f.Shown, moved(text, f.Name, f.Lines))
	}
	for i := range min(len(f.Notes), len(o.Notes)) {
		f.Notes[i] = accesslog.Note{N: f.Notes[i].N + o.Notes[i].N, Text: cmp.Or(f.Notes[i].Text, o.Notes[i].Text)}
	}
	f.Lines, f.Requests, f.Bad = f.Lines+o.Lines, f.Requests+o.Requests, f.Bad+o.Bad
	f.QuotesGoOn = f.QuotesGoOn || o.QuotesGoOn
	r.Cut = true
	r.Failed, r.Key, r.Earliest = cmp.Or(r.Failed, next.Failed), cmp.Or(r.Key, next.Key), min(r.Earliest, next.Earliest)
}

// byFile merges the pieces of each file.
func byFile(pieces []*Read) (files []*Read) {
	slices.SortFunc(pieces, func(a, b *Read) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.From, b.From))
	})
	for _, r := range pieces {
		if last := len(files) - 1; last >= 0 && files[last].File == r.File {
			files[last].add(r)
		} else {
			files = append(files, r)
		}
	}
	return files
}

// times computes the Times for the shards. If two files have requests of the same instant, the file that begins earlier
// comes first.
func times(files []*Read) *Times {
	t := &Times{FirstUS: math.MaxInt64}
	for rank, f := range slices.SortedStableFunc(slices.Values(files), func(a, b *Read) int {
		return cmp.Or(cmp.Compare(a.Earliest, b.Earliest), cmp.Compare(a.Found.Name, b.Found.Name))
	}) {
		t.Ranks = append(t.Ranks, make([]int, max(0, f.File+1-len(t.Ranks)))...)
		t.FirstUS, t.Ranks[f.File] = min(t.FirstUS, f.Earliest), rank
	}
	return t
}

// document makes the same document as simulate, from the pipeline's output about a log. Its error is about mistakes in
// the log.
func (j *Job) document(in io.Reader, t accesslog.Trace) (*result.Document, error) {
	var pieces []*Read
	var sums [2]Sum
	differs := false
	for decoder := json.NewDecoder(in); decoder.More(); {
		var l line
		if err := decoder.Decode(&l); err != nil {
			return nil, fmt.Errorf("the output of the workers is damaged: %w", err)
		}
		switch last := len(l.Sums) - 1; {
		case l.Read != nil:
			pieces = append(pieces, l.Read)
		case l.Failed != "":
			return nil, cli.Usage("%s", l.Failed)
		default:
			sums[0].add(l.Sums[0])
			sums[1].add(l.Sums[last])
			differs = differs || last > 0
		}
	}
	if pieces == nil { // the file is unchanged since it was created
		return nil, errors.New("the output of the workers is missing; want a --shared that is the same folder " +
			"for all workers")
	}
	files := byFile(pieces)
	log := sums[0].Log
	log.FirstUS, log.Empty = times(files).FirstUS, 1+len(t.More)-len(files)
	for _, f := range files {
		switch {
		case f.Cut && t.Format == accesslog.CSV && (f.Failed != "" || f.Found.QuotesGoOn):
			return nil, cli.Usage("%s: quoted fields continue over line ends, so the file cannot be split; want it in "+
				"gzip, which is read as a whole", f.Found.Name)
		case f.Failed != "":
			return nil, cli.Usage("%s", f.Failed)
		}
		shown := f.Found.Shown
		log.Files, log.Bad = append(log.Files, f.Found), log.Bad+f.Found.Bad
		log.Shown = append(log.Shown, shown[:min(len(shown), maxShown-len(log.Shown))]...)
		if sums[0].Part != nil && sums[0].Keys == 1 {
			log.Key = cmp.Or(log.Key, f.Key)
		}
	}
	if log.Bad > t.Bad {
		return nil, cli.Usage("%s; --trace-bad %d leaves out such lines", log.Shown[0], max(10, 10*t.Bad, log.Bad))
	}
	if sums[0].Part == nil {
		return nil, cli.Usage("%s: no requests in it; want at least one", files[0].Found.Name)
	}
	if !differs {
		sums[1].Part = nil
	}
	ask, plan, err := j.plan(t, log.FirstUS)
	if err != nil {
		return nil, err
	}
	plan.Stream = t.Told(&log)
	played, err := ask.Joined(plan, sums[0].Part, sums[1].Part)
	if err != nil {
		return nil, err
	}
	doc := result.New(result.OfSimulate, j.Version)
	doc.Runs = []result.Run{*played}
	return doc, nil
}
