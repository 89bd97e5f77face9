package recommend

import (
	"fmt"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/scenario"
)

// few is the share of the requests below which a reader must hear how few it is that decide between candidates: what
// the order of such an answer is about is not this traffic.
const few = 0.01

// toldApart counts the requests of a scenario, with its first seed, that tell those apart who are in the first answer:
// of whom one admits the request and another does not, each having decided all that came before. When what is admitted
// leaves is no part of it. It is nil where fewer than two are in the answer, where clients react, since each row has
// its own requests then, and where a script without a model is in it that decides as no model does.
func (t *trial) toldApart(s *scenario.Scenario, here []*Candidate) (*int64, error) {
	models, ok := t.modelsOf(s, here)
	if !ok || len(here) < 2 || s.Reactive() {
		return nil, nil
	}
	var apart int64
	if len(models) < 2 { // all decide alike
		return &apart, nil
	}
	start := s.Start.UnixMicro()
	for q, err := range s.Stream(lineup.NewContest(s, t.Instead).Seed).Requests() {
		if err != nil {
			return nil, err
		}
		admit := 0
		for _, m := range models {
			if m.Decide(start+q.AtUS, q.Key, q.Cost).Allowed() {
				admit++
			}
		}
		if admit > 0 && admit < len(models) {
			apart++
		}
	}
	return &apart, nil
}

// modelsOf are models of those in the first answer, one for each rank; not ok where one rank has none.
func (t *trial) modelsOf(s *scenario.Scenario, here []*Candidate) (models []limit.Limiter, ok bool) {
	for _, group := range grouped(here, sameDecisions) {
		var model limit.Limiter
		for _, c := range group {
			choice, known := t.choiceIn(c.Algorithm, s.Name)
			if !known {
				continue
			}
			contest, wrong := lineup.NewContest(s, t.Instead), lineup.Problems{}
			if contest.Enter([]algorithms.Choice{choice}, nil, &wrong); wrong.Err() == nil {
				model = contest.Entries[0].NewModel()
				break
			}
		}
		if model == nil {
			return nil, false
		}
		models = append(models, model)
	}
	return models, true
}

// apartInWords says how many requests tell those apart who keep the tolerance, where these are few; else "".
func (t *Traffic) apartInWords(keep int) string {
	if t.ToldApart == nil || float64(*t.ToldApart) >= few*float64(t.Offered) {
		return ""
	}
	seed := ""
	if t.Seeds > 1 {
		seed = fmt.Sprintf(" with seed %d", t.Seed)
	}
	switch n := *t.ToldApart; n {
	case 0:
		return fmt.Sprintf("no request of %s%s tells them apart: all %d that keep the tolerance decide the %d alike",
			t.Scenario, seed, keep, t.Offered)
	case 1:
		return fmt.Sprintf("1 of the %d requests of %s%s tells them apart: the %d that keep the tolerance decide all "+
			"others alike", t.Offered, t.Scenario, seed, keep)
	default:
		return fmt.Sprintf("%d of the %d requests of %s%s tell them apart: the %d that keep the tolerance decide all "+
			"others alike", n, t.Offered, t.Scenario, seed, keep)
	}
}
