package recommend

import (
	"fmt"
	"math"

	"ratelab/internal/costresult"
)

// Counted are instructions that decisions take, as bench cost counts them.
type Counted struct {
	Source CountSource

	mean map[string]float64 // by label
}

// CountedOf reads them off a document: of each row the mean over its paths, each counting once.
func CountedOf(d *costresult.Document) *Counted {
	c := &Counted{mean: map[string]float64{}, Source: CountSource{Server: d.Server.String(), Valgrind: d.Valgrind,
		Architecture: d.Architecture}}
	for i := range d.Rows {
		if mean := d.Rows[i].Mean(); mean > 0 {
			c.mean[d.Rows[i].Algorithm] = math.Round(mean)
		}
	}
	return c
}

// of are those of a label; what has another capacity or another limit only takes the same paths.
func (c *Counted) of(label string) *float64 {
	for _, name := range []string{label, withoutCapacity(label)} {
		if v, ok := c.mean[name]; ok {
			return &v
		}
	}
	return nil
}

// String names the count, and what follows from it.
func (c *CountSource) String() string {
	return fmt.Sprintf("instructions per decision: counted on %s, %s, valgrind %s; the mean over all paths; where all "+
		"candidates have them, the cheapest has the fewest", c.Server, c.Architecture, c.Valgrind)
}
