package costresult

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ratelab/internal/result"
	"ratelab/internal/sheet"
)

// same is how far two counts may be apart and still be those of one path: no more than the same script twice.
const same = 0.005

// group are paths of a row whose counts are the same.
type group struct {
	*Path
	all []*Path
}

// groups joins a row's paths of equal counts, state by state in the order of their first ones.
func (r *Row) groups() []group {
	var out []group
	var paths []*Path
	for _, state := range append(States(), Any) {
		for i := range r.Paths {
			if r.Paths[i].State == state {
				paths = append(paths, &r.Paths[i])
			}
		}
	}
	for _, p := range paths {
		at := slices.IndexFunc(out, func(g group) bool { return g.equals(p) })
		if at < 0 {
			out = append(out, group{p, []*Path{p}})
			continue
		}
		out[at].all = append(out[at].all, p)
	}
	return out
}

// equals reports whether p costs what every path of the group does, in instructions and in commands.
func (g group) equals(p *Path) bool {
	return !slices.ContainsFunc(g.all, func(o *Path) bool {
		return math.Abs(o.Instructions-p.Instructions) > same*min(o.Instructions, p.Instructions) ||
			math.Abs(o.Commands-p.Commands) > same*max(o.Commands, p.Commands)
	})
}

// name is what the group's paths are called: states with their limits, those under the same limits together.
func (g group) name(limits int) string {
	states := map[string][]string{} // by the limits that they have
	var order []string
	for _, state := range append(States(), Any) {
		var under []string
		for _, p := range g.all {
			if p.State == state {
				under = append(under, sheet.ASCII(p.Limit.String()))
			}
		}
		if len(under) == 0 {
			continue
		}
		where := " at " + strings.Join(under, ", ")
		if len(under) == limits || state == Any {
			where = ""
		}
		if states[where] == nil {
			order = append(order, where)
		}
		states[where] = append(states[where], state)
	}
	var parts []string
	for _, where := range order {
		parts = append(parts, strings.Join(states[where], ", ")+where)
	}
	return strings.Join(parts, "; ")
}

// limits are those of the document, in their order.
func (d *Document) limits() []result.Limit {
	var all []result.Limit
	for _, r := range d.Rows {
		for _, p := range r.Paths {
			if p.State != Any && !slices.Contains(all, p.Limit) {
				all = append(all, p.Limit)
			}
		}
	}
	return all
}

func (d *Document) part() sheet.Part {
	part := sheet.Part{Tables: []sheet.Table{d.table()}, Notes: sheet.Items(d.notes()...)}
	for _, line := range d.circumstances() {
		part.Lead = append(part.Lead, sheet.Line{Text: line})
	}
	return part
}

// circumstances is what the figures depend on.
func (d *Document) circumstances() []string {
	server := d.Server.String()
	if d.Image != "" {
		server += ", " + d.Image
	}
	lines := []string{
		"Instructions per decision, counted: network, parsing and EVALSHA are in all of them",
		fmt.Sprintf("%s, %s, valgrind %s", server, d.Architecture, d.Valgrind),
	}
	var all []string
	for _, l := range d.limits() {
		all = append(all, sheet.ASCII(l.String()))
	}
	if len(all) > 0 {
		lines = append(lines, "limits "+strings.Join(all, ", "))
	}
	if d.Partial {
		lines = append(lines, "PARTIAL: interrupted; rows and paths may be missing")
	}
	return lines
}

func (d *Document) table() sheet.Table {
	t := sheet.Table{Columns: []sheet.Column{
		{Name: "algorithm", Words: true, Widest: 20, Narrowest: 10},
		{Name: "path", Words: true, Widest: 40, Narrowest: 14, Break: sheet.BreakWords,
			Help: "the state of the key, and the limit where it matters"},
		{Name: "instruc-\ntions", Help: "of the whole server for one decision"},
		{Name: "x\nnone", Help: "as a multiple of what the script takes that decides nothing"},
		{Name: "mallocs", Leaves: 3, Help: "calls of the server's allocator"},
		{Name: "calls", Leaves: 1, Help: "Redis commands that the script issues"},
		{Name: "repl.\nbytes", Leaves: 2, Help: "that a replica would be sent"},
		{Name: "bytes\na key", Leaves: 4, Help: "of the key with its name, after the decision"},
	}}
	limits := len(d.limits())
	for i := range d.Rows {
		r := &d.Rows[i]
		for k, g := range r.groups() {
			label := r.Algorithm
			if k > 0 {
				label = ""
			}
			t.Rows = append(t.Rows, sheet.TableRow{Cells: sheet.Cells(label, g.name(limits),
				thousands(g.Instructions), sheet.Significant(g.RatioToControl), whole(g.Allocations),
				fmt.Sprintf("%.2f", g.Commands), fmt.Sprintf("%.0f", g.ReplicatedBytes), g.bytes()), Faint: i == 0})
		}
		for _, m := range r.Missing {
			if m.Limit == nil {
				t.Rows = append(t.Rows, sheet.TableRow{Cells: sheet.Cells("", m.State, sheet.Absent, sheet.Absent,
					sheet.Absent, sheet.Absent, sheet.Absent, sheet.Absent)})
			}
		}
	}
	return t
}

// thousands is a count rounded to tens: two counts of one path differ by more than that.
func thousands(f float64) string { return sheet.Integer(int64(math.Round(f/10)) * 10) }

func whole(f *float64) string {
	if f == nil {
		return sheet.Absent
	}
	return fmt.Sprintf("%.0f", *f)
}

func (p *Path) bytes() string {
	if p.BytesPerKey == nil {
		return sheet.Absent
	}
	return sheet.Integer(*p.BytesPerKey)
}

// notes say what is missing, and why: once for all rows that lack it.
func (d *Document) notes() []string {
	rows := map[string][]string{}
	var order []string
	for i := range d.Rows {
		for _, m := range d.Rows[i].Missing {
			what := m.State
			if m.Limit != nil {
				what += " at " + sheet.ASCII(m.Limit.String())
			}
			text := what + ": " + m.Reason
			if rows[text] == nil {
				order = append(order, text)
			}
			rows[text] = append(rows[text], d.Rows[i].Algorithm)
		}
	}
	var lines []string
	for _, text := range order {
		lines = append(lines, "no "+text+" ("+strings.Join(rows[text], ", ")+")")
	}
	return lines
}
