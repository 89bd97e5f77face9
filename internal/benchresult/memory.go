package benchresult

import (
	"fmt"
	"slices"

	"ratelab/internal/sheet"
)

// memorySection is what a key takes as it is used, and what the client takes.
func (r *Document) memoryPart() sheet.Part {
	part, t, fills := sheet.Part{Title: "What a key takes"}, tableOf(), r.fills()
	for i, n := range fills {
		c := sheet.Column{Group: "bytes after requests", Name: sheet.Integer(n)}
		if i > 0 && i < len(fills)-1 {
			c.Leaves = 1
		}
		t.Columns = append(t.Columns, c)
	}
	t.Columns = append(t.Columns, sheet.Column{Group: "client", Name: "allocations"})
	if len(fills) == 0 {
		part.Title = "What a call takes of the client"
	} else {
		part.Lead = sheet.Items(fmt.Sprintf("one key under limit %s, requests spread evenly over the window; key "+
			"names are as long for all", r.Settings.FillLimit))
	}
	for i := range r.Costs {
		c := &r.Costs[i]
		row := []string{c.Algorithm}
		for _, n := range fills {
			row = append(row, c.bytesAfter(n))
		}
		allocations := sheet.Absent
		if m := c.mix(MixHalf); m != nil {
			allocations = counted(m.AllocationsPerCall)
		}
		add(&t, append(row, allocations)...)
	}
	part.Tables = []sheet.Table{t}
	return part
}

// fills are the numbers of requests that any algorithm's memory was measured after, in order.
func (r *Document) fills() []int64 {
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
			return sheet.Integer(f.Bytes)
		}
	}
	return sheet.Absent
}
