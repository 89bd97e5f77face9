package report

import (
	"fmt"
	"slices"

	"ratelab/internal/result"
)

// memoryPart is what a key takes as it is used, and what the client takes.
func memoryPart(r *result.Benchmark) Part {
	part, t, fills := Part{Title: "What a key takes"}, benchTable(), fillsOf(r)
	for i, n := range fills {
		c := Column{Group: "bytes after requests", Name: Integer(n)}
		if i > 0 && i < len(fills)-1 {
			c.Leaves = 1
		}
		t.Columns = append(t.Columns, c)
	}
	t.Columns = append(t.Columns, Column{Group: "client", Name: "allocations"})
	if len(fills) == 0 {
		part.Title = "What a call takes of the client"
	} else {
		part.Lead = Items(fmt.Sprintf("one key under limit %s, requests spread evenly over the window; key "+
			"names are as long for all", r.Settings.FillLimit))
	}
	for i := range r.Costs {
		c := &r.Costs[i]
		row := []string{c.Algorithm}
		for _, n := range fills {
			row = append(row, bytesAfter(c, n))
		}
		allocations := Absent
		if m := mixOf(c, result.MixHalf); m != nil {
			allocations = countedFigure(m.AllocationsPerCall)
		}
		add(&t, append(row, allocations)...)
	}
	part.Tables = []Table{t}
	return part
}

// fillsOf are the numbers of requests that any algorithm's memory was measured after, in order.
func fillsOf(r *result.Benchmark) []int64 {
	var list []int64
	for i := range r.Costs {
		for _, f := range r.Costs[i].Memory {
			list = append(list, f.Entries)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func bytesAfter(c *result.Cost, entries int64) string {
	for _, f := range c.Memory {
		if f.Entries == entries {
			return Integer(f.Bytes)
		}
	}
	return Absent
}
