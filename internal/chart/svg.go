package chart

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"regexp"
	"strconv"
	"strings"

	"ratelab/internal/message"
)

// gonum/plot's SVG is correct and long: eleven digits a coordinate, every segment absolute, a font by one
// name. What follows makes it a third of the size and independent of the fonts on the reader's machine.

// fontFamily starts with the font that was measured, goes on with those that have its metrics, and ends with
// whatever the reader has.
const fontFamily = "Liberation Sans,Arimo,Arial,Helvetica,sans-serif"

var (
	svgHead  = regexp.MustCompile(`(?s)^.*?<svg [^>]*>\n`)
	svgPath  = regexp.MustCompile(`<path d="([^"]*)"`)
	svgText  = regexp.MustCompile(`<text x="([^"]*)" y="([^"]*)" transform="scale\(1, -1\)"\s*style="([^"]*)">`)
	svgFont  = regexp.MustCompile(`font-(family|variant):[^;"]*;?|font-(weight|style):normal;?`)
	pathStep = regexp.MustCompile(`([MLAZ])([^MLAZ]*)`)
)

// finishSVG shortens gonum's document, names the picture for those who cannot see it, and fixes each text's
// length, so that a font of other metrics cannot make two of them meet.
func finishSVG(raw []byte, title string, height float64, texts []Text) []byte {
	body := svgHead.ReplaceAll(raw, nil)
	body = svgPath.ReplaceAllFunc(body, func(m []byte) []byte {
		d := svgPath.FindSubmatch(m)[1]
		return fmt.Appendf(nil, `<path d="%s"`, shortPath(string(d)))
	})
	next := 0
	body = svgText.ReplaceAllFunc(body, func(m []byte) []byte {
		parts := svgText.FindSubmatch(m)
		width := texts[next].width
		next++
		style := svgFont.ReplaceAll(parts[3], nil)
		return fmt.Appendf(nil,
			`<text x="%s" y="%s" transform="scale(1,-1)" textLength="%s" lengthAdjust="spacingAndGlyphs" style="%s">`,
			roundText(parts[1]), roundText(parts[2]), tenths(scaled(width)), style)
	})
	var out bytes.Buffer
	fmt.Fprintf(&out,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%g" viewBox="0 0 %d %g" role="img" font-family="%s">`+"\n",
		PageWidth, height, PageWidth, height, fontFamily)
	fmt.Fprintf(&out, "<title>%s</title>\n", html.EscapeString(message.Visible(title)))
	out.Write(body)
	return out.Bytes()
}

// shortPath rewrites absolute moves and lines as relative ones in tenths of a pixel, which for a step curve
// are a letter and two or three digits. Positions are rounded before they are subtracted: errors do not add up.
func shortPath(d string) string {
	var out strings.Builder
	var x, y int
	for _, m := range pathStep.FindAllStringSubmatch(d, -1) {
		numbers := parseNumbers(m[2])
		switch m[1] {
		case "M":
			x, y = scaled(numbers[0]), scaled(numbers[1])
			fmt.Fprintf(&out, "M%s,%s", tenths(x), tenths(y))
		case "L":
			toX, toY := scaled(numbers[0]), scaled(numbers[1])
			out.WriteString(relativeLine(toX-x, toY-y))
			x, y = toX, toY
		case "A": // rx,ry rotation large sweep x,y
			x, y = scaled(numbers[5]), scaled(numbers[6])
			fmt.Fprintf(&out, "A%g,%g 0 %g %g %s,%s", numbers[0], numbers[1], numbers[3], numbers[4], tenths(x),
				tenths(y))
		case "Z":
			out.WriteByte('Z')
		}
	}
	return out.String()
}

func relativeLine(dx, dy int) string {
	switch {
	case dx == 0 && dy == 0:
		return ""
	case dy == 0:
		return "h" + tenths(dx)
	case dx == 0:
		return "v" + tenths(dy)
	}
	return "l" + tenths(dx) + "," + tenths(dy)
}

func parseNumbers(s string) []float64 {
	var numbers []float64
	for _, field := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' }) {
		v, _ := strconv.ParseFloat(field, 64) // written by gonum a moment ago
		numbers = append(numbers, v)
	}
	return numbers
}

func scaled(v float64) int { return int(math.Round(10 * v)) }

func tenths(v int) string { return strconv.FormatFloat(float64(v)/10, 'f', -1, 64) }

func roundText(number []byte) string {
	v, _ := strconv.ParseFloat(string(number), 64)
	return tenths(scaled(v))
}
