package counting

import (
	"context"
	"maps"
	"slices"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/costs"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/script"
)

// Fit returns the table of costs. It counts the choices one by one, with logs of 10 to 1000 entries. job has the server
// and the clock.
func Fit(ctx context.Context, job Job, choices []algorithms.Choice) ([]costs.Figure, error) {
	job.Limits = []limit.Policy{{Requests: 10, Window: time.Second}, {Requests: 100, Window: time.Minute},
		{Requests: 1000, Window: time.Minute}}
	job.States = []string{StateFirst, StateSteady, StateBurst, StateRejected, StateFullLog}
	counted := map[string][]sample{}
	for _, c := range choices {
		job.Limiters = []*limiter.Spec{limiter.OfChoice(c)}
		found, err := job.Run(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range found.Paths {
			counted[c.Algorithm.Name] = append(counted[c.Algorithm.Name], sample{c, p})
		}
	}
	return fitted(counted), nil
}

// sample is the count of one variant of an algorithm on one path.
type sample struct {
	algorithms.Choice
	path Path
}

// fitted returns the table of costs that fits the counts of each algorithm.
func fitted(counted map[string][]sample) []costs.Figure {
	var all []costs.Figure
	for _, name := range slices.Sorted(maps.Keys(counted)) {
		points := map[string][]costs.Point{}
		spec := counted[name][0].Algorithm
		keepsLog := spec.Traits.Entries
		for _, s := range counted[name] {
			policy, found := s.path.Limit.Policy(), s.path.Of[0]
			if found.Missing != "" {
				continue
			}
			figure, state := figureOf[s.path.State], s.path.State
			in, err := s.Under(policy)
			if err != nil {
				panic(err) // cannot fail: the limiter was counted under this limit
			}
			x := costs.XOf(&in, state == StateSteady || state == StateFullLog)
			if figure != "" {
				points[figure] = append(points[figure], costs.Point{X: x, Y: found.Instructions})
			}
			isFull := keepsLog && state == StateFullLog || !keepsLog && state == StateSteady
			if isFull && found.BytesPerKey != nil {
				points[costs.Bytes] = append(points[costs.Bytes], costs.Point{X: x, Y: float64(*found.BytesPerKey)})
			}
		}
		var admitted costs.Figure
		for _, figure := range costs.Figures() {
			f := costs.Figure{Limiter: name, SHA1: script.SHA1(spec.Script()), Figure: figure,
				X: costs.XName(spec, figure)}
			f.Fit(points[figure])
			switch {
			case figure == costs.Admitted:
				admitted = f
			case figure == costs.Rejected && f.X == costs.Parts:
				// Rejections were counted with one part only. The increase per further part is taken from admitted
				// requests.
				f.A, f.B = f.A-admitted.B, admitted.B
			}
			all = append(all, f)
		}
	}
	return all
}

// figureOf maps a state to the figure to which the instructions of its path belong.
var figureOf = map[string]string{StateFirst: costs.First, StateSteady: costs.Admitted, StateBurst: costs.Admitted,
	StateRejected: costs.Rejected}
