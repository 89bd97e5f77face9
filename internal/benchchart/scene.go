package benchchart

import (
	"cmp"
	"slices"

	"ratelab/internal/benchresult"
	"ratelab/internal/chart"
)

// control is the row that does nothing but answer: the floor of every cost.
const control = benchresult.Control

// scene is what the pictures share.
type scene struct {
	results []*benchresult.Document
	names   []string // of the results, all different
	notes   []string
}

func newScene(in []*benchresult.Document) *scene {
	return &scene{results: in, names: namesOf(in)}
}

// draw makes every picture for which there are figures, and says which there are not.
func draw(s *scene) (pictures []chart.Picture, notes []string) {
	add := func(p chart.Picture, ok bool) {
		if ok {
			pictures = append(pictures, p)
		}
	}
	for _, name := range s.scenarios() {
		for i, r := range s.results {
			if run := runOf(r, name); run != nil {
				add(s.played(i, run))
				add(s.percentiles(i, run))
			}
		}
	}
	add(s.serverCost())
	add(s.throughput())
	add(s.memory())
	return pictures, s.notes
}

// leave notes that a picture is not drawn, or lacks something.
func (s *scene) leave(picture, reason string) {
	note := picture + ": " + reason
	if !slices.Contains(s.notes, note) {
		s.notes = append(s.notes, note)
	}
}

func (s *scene) several() bool { return len(s.results) > 1 }

func (s *scene) scenarios() []string {
	var all []string
	for _, r := range s.results {
		for _, run := range r.Runs {
			if !slices.Contains(all, run.Scenario) {
				all = append(all, run.Scenario)
			}
		}
	}
	return all
}

func runOf(r *benchresult.Document, scenario string) *benchresult.Play {
	for i := range r.Runs {
		if r.Runs[i].Scenario == scenario {
			return &r.Runs[i]
		}
	}
	return nil
}

// labels are the algorithms of all results' costs, each once, in the order of the documents.
func (s *scene) labels() []string {
	var all []string
	for _, r := range s.results {
		for _, c := range r.Costs {
			if !slices.Contains(all, c.Algorithm) {
				all = append(all, c.Algorithm)
			}
		}
	}
	return all
}

func costOf(r *benchresult.Document, label string) *benchresult.Cost {
	for i := range r.Costs {
		if r.Costs[i].Algorithm == label {
			return &r.Costs[i]
		}
	}
	return nil
}

// costSettings are those of the first result with costs: all of them have the same limits.
func (s *scene) costSettings() benchresult.Settings {
	for _, r := range s.results {
		if len(r.Costs) > 0 {
			return r.Settings
		}
	}
	return benchresult.Settings{}
}

// byValue sorts labels by a figure of theirs, the least first; equal ones stay in their order.
func byValue(labels []string, value map[string]float64) []string {
	sorted := slices.Clone(labels)
	slices.SortStableFunc(sorted, func(a, b string) int { return cmp.Compare(value[a], value[b]) })
	return sorted
}
