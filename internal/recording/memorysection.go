package recording

import (
	"fmt"
	"slices"
)

// memorySection is what a key takes as it is used, and what the client takes.
func (r *Recording) memorySection() section {
	s := section{title: "What a key takes", grid: grid{columns: []column{{name: "algorithm", text: true}}}}
	fills := r.fills()
	for _, n := range fills {
		s.grid.columns = append(s.grid.columns, column{group: "bytes after requests", name: integer(n)})
	}
	s.grid.columns = append(s.grid.columns, column{group: "client", name: "allocations"})
	if len(fills) == 0 {
		s.title = "What a call takes of the client"
	} else {
		s.lines = []string{fmt.Sprintf("one key under limit %s, requests spread evenly over the window; key names are as long for all", r.Settings.FillLimit)}
	}
	for i := range r.Costs {
		c := &r.Costs[i]
		row := []string{c.Algorithm}
		for _, n := range fills {
			row = append(row, c.bytesAfter(n))
		}
		allocations := absent
		if m := c.mix(MixHalf); m != nil {
			allocations = counted(m.AllocationsPerCall)
		}
		s.grid.rows = append(s.grid.rows, append(row, allocations))
	}
	return s
}

// fills are the numbers of requests that any algorithm's memory was measured after, in order.
func (r *Recording) fills() []int64 {
	var list []int64
	for i := range r.Costs {
		for _, f := range r.Costs[i].Memory {
			list = append(list, f.Entries)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (c *Cost) bytesAfter(entries int64) string {
	for _, f := range c.Memory {
		if f.Entries == entries {
			return integer(f.Bytes)
		}
	}
	return absent
}
