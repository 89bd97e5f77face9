package recommend

import (
	"context"

	"ratelab/algorithms"
	"ratelab/internal/lineup"
	"ratelab/internal/scenario"
)

// measureMemory asks the server what each row takes for one key when that is at its fullest, all of its Redis keys
// together. What a row would take at the end of the traffic, on average over the keys, says little: most keys of a log
// are nearly empty then. Where clients react, each at another time, that is what remains.
func (t *trial) measureMemory(ctx context.Context, replay Replay, group []*scenario.Scenario,
	choices []algorithms.Choice) error {
	if !t.Memory {
		return nil
	}
	for _, s := range group {
		only, err := t.fullest(s)
		if err != nil {
			return err
		}
		if only == nil {
			continue
		}
		doc, err := replay(ctx, Play{Server: t.Server, Scenarios: []*scenario.Scenario{s}, Choices: choices, Only: only,
			Instead: t.Instead})
		if err != nil {
			return err
		}
		for i := range doc.Runs[0].Results {
			row := &doc.Runs[0].Results[i]
			if row.BytesPerKey != nil && row.KeysLeft != nil {
				all := *row.BytesPerKey * float64(*row.KeysLeft)
				t.rows[s.Name][row.Algorithm].server.BytesPerKey = &all
			}
		}
	}
	return nil
}

// fullest is the key of which a log of the limit's requests holds most, and the last moment at which it does; nil where
// clients react, or nothing arrives. The last one, since what counts in parts has most of them when requests have come
// for some time.
func (t *trial) fullest(s *scenario.Scenario) (*lineup.OneKey, error) {
	contest := lineup.NewContest(s, t.Instead)
	choice, err := algorithms.Parse("sliding-window-log")
	if err != nil || s.Reactive() {
		return nil, err
	}
	in, err := choice.Instance(contest.Policy)
	if err != nil {
		return nil, err
	}
	log, least := in.NewModel(), contest.Policy.Requests
	var fullest *lineup.OneKey
	for q, err := range s.Stream(contest.Seed).Requests() {
		if err != nil {
			return nil, err
		}
		if room := log.Decide(s.Start.UnixMicro()+q.AtUS, q.Key, q.Cost).Remaining; room <= least {
			least, fullest = room, &lineup.OneKey{Key: q.Key, UntilUS: q.AtUS}
		}
	}
	return fullest, nil
}
