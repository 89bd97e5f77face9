// Package chart is the hand with which every picture of the project is drawn: one page, one palette, one lettering,
// small multiples that share their axes, labels that find free places, and the way into SVG and PNG. The same
// picture gives the same bytes. It reads no clock, and knows nothing of what it draws but the colours of the
// algorithms' names.
package chart

// The page is 720 px wide, the width of a README's column. Its height follows from what stands on it.
const (
	PageWidth = 720
	Margin    = 20.0
)

// Page is a picture with its words: the question it answers, what it shows, and what made it.
type Page struct {
	Title, Subtitle, Footer string

	Height float64             // of what Draw draws, in px
	Draw   func(p *Pen, b Box) // between subtitle and footer, from margin to margin
}

// frame says where the words stand.
type frame struct {
	title, subtitle, foot []string // lines
	content               Box
	height                float64 // of the whole page
}

func (p Page) frame() frame {
	inner := PageWidth - 2*Margin
	f := frame{
		title:    Wrap(p.Title, inner, TitleLetters),
		subtitle: Wrap(p.Subtitle, inner, PlainLetters),
		foot:     Wrap(p.Footer, inner, FootLetters),
	}
	top := f.subtitleTop() + float64(len(f.subtitle))*15 + 8
	f.content = Box{Margin, top, PageWidth - Margin, top + p.Height}
	f.height = f.content.Bottom + 14 + float64(len(f.foot))*13 + 8
	return f
}

func (f frame) subtitleTop() float64 { return Margin + float64(len(f.title))*20 + 3 }

// draw puts the whole page on the pen's canvas.
func (p Page) draw(pen *Pen) {
	f := p.frame()
	pen.Rect(Box{0, 0, PageWidth, f.height}, Paper)
	writeLines(pen, f.title, Point{Margin, Margin + 13}, 20, TitleLetters)
	writeLines(pen, f.subtitle, Point{Margin, f.subtitleTop() + 10}, 15, PlainLetters)
	p.Draw(pen, f.content)
	writeLines(pen, f.foot, Point{Margin, f.height - 10 - 13*float64(len(f.foot)-1)}, 13, FootLetters)
}

func writeLines(p *Pen, lines []string, first Point, pitch float64, l Lettering) {
	for i, line := range lines {
		p.Write(line, Point{first.X, first.Y + float64(i)*pitch}, l)
	}
}
