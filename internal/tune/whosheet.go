package tune

import (
	"fmt"

	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

// mostInTable is how many of those that are hit a table names.
const mostInTable = 20

// whoSheet is whom the present setting hits.
func (d *Document) whoSheet() sheet.Sheet {
	all := sheet.Sheet{{Lead: d.about()}}
	for _, t := range d.Touched {
		table := sheet.Table{Columns: []sheet.Column{{Name: "key", Words: true, Narrowest: 12},
			{Name: "good", Words: true}, {Name: "requests"}, {Name: "refused"}, {Name: "of its own"},
			{Name: "first"}, {Name: "last"}}}
		table.Title = fmt.Sprintf("%s %s refuses %s of %s, %d of them good", t.Algorithm, t.Limit.String(),
			message.Count(t.Refused, "request"), message.Count(t.Keys, "key"), t.Good)
		for _, h := range t.Who[:min(len(t.Who), mostInTable)] {
			good := "no"
			if h.Good {
				good = "yes"
			}
			table.Rows = append(table.Rows, sheet.TableRow{Cells: sheet.Cells(message.Shown(h.Key), good,
				sheet.Integer(h.Requests), sheet.Integer(h.Refused), sheet.Percent(share(h.Refused, h.Requests)),
				sheet.Briefly(h.FirstUS), sheet.Briefly(h.LastUS))})
		}
		part := sheet.Part{Tables: []sheet.Table{table}}
		if len(t.Who) == 0 {
			part = sheet.Part{Lead: []sheet.Line{{Text: table.Title}}}
		}
		if t.Keys > mostInTable {
			part.Notes = sheet.Items(fmt.Sprintf("and %d others: --format csv names a thousand", t.Keys-mostInTable))
		}
		all = append(all, part)
	}
	for _, n := range d.Notes {
		all[len(all)-1].Notes = append(all[len(all)-1].Notes, sheet.Items("note: "+n)...)
	}
	return all
}
