package recommend

import (
	"fmt"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/benchresult"
)

// Costs are the server's measured times per decision.
type Costs struct {
	Source CostSource

	us map[string]float64 // by label
}

// CostsOf reads the costs off a benchmark: those of the closed loop with half of the requests accepted, and for what
// has none, those under the first scenario that has.
func CostsOf(r *benchresult.Document) *Costs {
	c := &Costs{us: map[string]float64{}}
	c.Source = CostSource{Server: r.Server.Server.String(), Machine: r.Machine.CPU, Valid: r.Validity.Valid,
		Traffic: "closed loop, half of the requests accepted, limit " + r.Settings.CostLimit.String()}
	for _, cost := range r.Costs {
		for _, m := range cost.Mixes {
			if m.Mix == benchresult.MixHalf && m.ServerUSPerCall != nil {
				c.us[cost.Algorithm] = *m.ServerUSPerCall
			}
		}
	}
	if len(c.us) > 0 {
		return c
	}
	for _, run := range r.Runs {
		for _, row := range run.Rows {
			if row.Open.ServerUSPerCall != nil {
				c.us[row.Algorithm] = *row.Open.ServerUSPerCall
			}
		}
		if len(c.us) > 0 {
			c.Source.Traffic = "open loop, scenario " + run.Scenario
			return c
		}
	}
	return c
}

// Empty reports whether nothing was measured.
func (c *Costs) Empty() bool { return len(c.us) == 0 }

// of is the cost of a label, and the label that was measured where it is another: what has another capacity or another
// limit only makes the same calls, and so does each of several gateways.
func (c *Costs) of(label string) (us *float64, measured string) {
	if v, ok := c.us[label]; ok {
		return &v, ""
	}
	plain := withoutCapacity(label)
	if v, ok := c.us[plain]; ok {
		return &v, plain
	}
	return nil, ""
}

// withoutCapacity is a label without the parameters that say how much is admitted, at once or in all.
func withoutCapacity(label string) string {
	name, rest, _ := strings.Cut(label, ":")
	leaves := func(string) bool { return false }
	if c, err := algorithms.Parse(name); err == nil {
		capacity := c.Spec.InRole(algorithms.Capacity)
		leaves = func(key string) bool { return c.Spec.OfRow(key) || capacity != nil && key == capacity.Name }
	}
	for _, setting := range strings.Split(rest, ":") {
		key, _, _ := strings.Cut(setting, "=")
		if setting != "" && !leaves(key) {
			name += ":" + setting
		}
	}
	return name
}

// String names the measurement.
func (c *CostSource) String() string {
	text := fmt.Sprintf("server us per decision: measured on %s", c.Server)
	if c.Machine != "" {
		text += ", " + c.Machine
	}
	text += "; " + c.Traffic
	if !c.Valid {
		text += "; INVALID: the generator was not fit to measure"
	}
	return text
}
