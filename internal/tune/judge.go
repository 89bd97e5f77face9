package tune

import (
	"cmp"
	"slices"
)

// judge says which rows keep the wishes, which of them to take, and which are on the frontier.
func (d *Document) judge() {
	for i := range d.Rows {
		r := &d.Rows[i]
		r.Keeps, r.KeepsHeldOut = d.Wishes.keeps(&r.Fitted), d.Wishes.keeps(&r.HeldOut)
		r.Straddles, r.StraddlesHeldOut = d.Wishes.straddles(&r.Fitted), d.Wishes.straddles(&r.HeldOut)
	}
	d.Chosen = d.best(func(r *Row) bool { return r.Keeps }, d.chosenFirst)
	if d.Chosen == nil {
		d.nearest()
	} else if !d.Rows[*d.Chosen].KeepsHeldOut {
		d.KeptOnBoth = d.best(func(r *Row) bool { return r.Keeps && r.KeepsHeldOut }, d.chosenFirst)
	}
	d.findFrontier()
	d.findKnee()
}

// best is the first of the rows that are so; nil: none is.
func (d *Document) best(so func(*Row) bool, order func(a, b *Row) int) *int {
	var best *int
	for i := range d.Rows {
		if so(&d.Rows[i]) && (best == nil || order(&d.Rows[i], &d.Rows[*best]) < 0) {
			best = &i
		}
	}
	return best
}

// chosenFirst is the order of what is taken. Of two wishes the one that is nearer to being broken counts, since figures
// move from day to day; of one wish, what the other would be about.
func (d *Document) chosenFirst(a, b *Row) int {
	switch w := &d.Wishes; {
	case w.Protect == nil:
		return cmp.Or(d.gentler(a, b), d.kinder(a, b), d.tie(a, b))
	case w.RefuseAtMost == nil:
		return cmp.Or(d.kinder(a, b), d.gentler(a, b), d.tie(a, b))
	default:
		return cmp.Or(cmp.Compare(w.room(&b.Fitted), w.room(&a.Fitted)), d.gentler(a, b), d.kinder(a, b), d.tie(a, b))
	}
}

// gentler has the better worst second first.
func (d *Document) gentler(a, b *Row) int {
	return cmp.Compare(a.Fitted.WorstSecond, b.Fitted.WorstSecond)
}

// kinder has what refuses less first.
func (d *Document) kinder(a, b *Row) int {
	n, _ := d.Wishes.refused(&a.Fitted)
	m, _ := d.Wishes.refused(&b.Fitted)
	return cmp.Compare(n, m)
}

// tie decides between rows alike: what is already there first, then what other products have as well, then by name.
func (d *Document) tie(a, b *Row) int {
	rank := func(r *Row) (n int) {
		if !r.Present {
			n += 2
		}
		if r.Algorithm != "gcra" {
			n++
		}
		return n
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), inOrder(a.Setting(), b.Setting()))
}

// nearest finds, where no row keeps all wishes, the nearest on each side: of those that keep one wish what is best by
// the other; where none keeps it, what misses it by least.
func (d *Document) nearest() {
	all := func(*Row) bool { return true }
	kind := func(a, b *Row) int { return cmp.Or(d.kinder(a, b), d.gentler(a, b), d.tie(a, b)) }
	gentle := func(a, b *Row) int { return cmp.Or(d.gentler(a, b), d.kinder(a, b), d.tie(a, b)) }
	spares := d.best(func(r *Row) bool { return d.Wishes.spares(&r.Fitted) }, gentle)
	if spares == nil {
		spares = d.best(all, kind)
	}
	protects := d.best(func(r *Row) bool { return d.Wishes.protects(&r.Fitted) }, kind)
	if protects == nil {
		protects = d.best(all, gentle)
	}
	for _, i := range []*int{spares, protects} {
		if i != nil && !slices.Contains(d.Nearest, *i) {
			d.Nearest = append(d.Nearest, *i)
		}
	}
}

// findFrontier marks the rows that no other beats, and says of the others by which they are beaten. Of rows alike one
// stands for all.
func (d *Document) findFrontier() {
	order := make([]int, len(d.Rows))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &d.Rows[i], &d.Rows[j]
		return cmp.Or(d.kinder(a, b), d.gentler(a, b), d.tie(a, b))
	})
	for _, i := range order {
		n := len(d.Frontier)
		if n == 0 || d.gentler(&d.Rows[i], &d.Rows[d.Frontier[n-1]]) < 0 {
			d.Frontier = append(d.Frontier, i)
			continue
		}
		by := d.Frontier[n-1]
		d.Rows[i].BeatenBy = &by
	}
}

// findKnee finds the row of the frontier that is farthest below the line between its ends, both axes as shares of
// their length: there one side begins to cost more than the other gains.
func (d *Document) findKnee() {
	n := len(d.Frontier)
	if n < 3 {
		return
	}
	at := func(i int) (x, y float64) {
		f := &d.Rows[d.Frontier[i]].Fitted
		refused, _ := d.Wishes.refused(f)
		return float64(refused), float64(f.WorstSecond)
	}
	left, top := at(0)
	right, bottom := at(n - 1)
	lowest := 1.0
	for i := 1; i < n-1; i++ {
		x, y := at(i)
		if sum := (x-left)/(right-left) + (y-bottom)/(top-bottom); sum < lowest {
			lowest = sum
			d.Knee = &d.Frontier[i]
		}
	}
}
