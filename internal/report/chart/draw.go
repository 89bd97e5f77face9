package chart

// draw puts the whole figure on the page.
func (f *figure) draw(p *pen) {
	g := f.layout()
	p.rect(box{0, 0, pageWidth, g.page}, paper)
	writeLines(p, g.title, point{margin, margin + 13}, 20, titleLetters)
	writeLines(p, g.subtitle, point{margin, g.subtitleTop() + 10}, 15, plainLetters)
	for i := range f.panels {
		f.drawPanel(p, g, i)
	}
	writeLines(p, g.foot, point{margin, g.page - 10 - 13*float64(len(g.foot)-1)}, 13, footLetters)
}

func writeLines(p *pen, lines []string, first point, pitch float64, l lettering) {
	for i, line := range lines {
		p.write(line, point{first.x, first.y + float64(i)*pitch}, l)
	}
}

func (f *figure) drawPanel(p *pen, g layout, i int) {
	a := &axes{pen: p, box: g.panelBox(i), spanUS: f.spanUS, scale: f.headroom()}
	f.drawHead(p, a.box, f.panels[i])
	f.drawValueAxis(a, i%g.columns == 0)
	f.panels[i].draw(a)
	f.drawTimeAxis(a, g.lowest(i))
}

// drawHead writes the label beside a patch of its colour: letters in a light colour would be hard to read.
func (f *figure) drawHead(p *pen, b box, panel panel) {
	p.rect(box{b.left, b.top - 29.5, b.left + 9, b.top - 20.5}, panel.color)
	label := shorten(panel.label, b.right-b.left-14, panelLetters)
	p.write(label, point{b.left + 14, b.top - 21}, panelLetters)
	p.write(shorten(panel.fact, b.right-b.left, smallLetters), point{b.left, b.top - 7}, smallLetters)
}

// drawValueAxis draws the level lines, and in the first column their values and the unit.
func (f *figure) drawValueAxis(a *axes, first bool) {
	for _, v := range f.ticks() {
		a.pen.stroke([]point{{a.left, a.y(v)}, {a.right, a.y(v)}}, grid, 0.8)
		if first {
			a.pen.writeRight(short(v), point{a.left - 5, a.y(v) + 3.5}, smallLetters)
		}
	}
	if first {
		a.pen.writeUpwards(f.unit, point{margin + 8, (a.top + a.bottom) / 2}, smallLetters)
	}
}

// drawTimeAxis draws the base line over the areas' feet, and below the lowest panels the times. The last
// label reaches no further than the middle of the gap, so that neighbours keep apart.
func (f *figure) drawTimeAxis(a *axes, labelled bool) {
	a.pen.stroke([]point{{a.left, a.bottom}, {a.right, a.bottom}}, quiet, 0.9)
	ticks := timeTicks(f.spanUS, max(int((a.right-a.left)/52), 1))
	for _, tick := range ticks {
		x := a.x(tick.us)
		a.pen.stroke([]point{{x, a.bottom}, {x, a.bottom + 3}}, quiet, 0.9)
		if !labelled {
			continue
		}
		q := point{x, a.bottom + 14}
		half := smallLetters.width(tick.label) / 2
		q.x = min(q.x, a.right+columnGap/2-2-half)
		a.pen.writeCentered(tick.label, q, smallLetters)
	}
}
