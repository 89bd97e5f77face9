//go:build browser

package page

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"testing"

	"github.com/chromedp/chromedp"

	"ratelab/internal/browsertest"
)

// cutTables are the boxes whose table is wider than they are, but for the strip of paper at its end.
const cutTables = `Array.from(document.querySelectorAll(".scroll")).filter(e => e.scrollWidth > e.clientWidth + 16)`

// widthsStory opens a page of more than there is room for: it does not scroll sideways, what is cut without a box that
// scrolls is nothing, and a table that is cut says so, over its cells. Schemes differ in colours alone, of which the
// sign is one: each of them has a width at which tables are cut.
func widthsStory(t *testing.T, chromium context.Context) {
	for i, width := range []int{390, 768, 1280, 1920} {
		scheme := []string{"light", "dark"}[i%2]
		b := open(t, chromium, large(), "", chromedp.EmulateViewport(int64(width), 900),
			browsertest.Media("", scheme))
		b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll(".run").forEach(e => { e.style.contentVisibility = "visible"; });
				document.querySelectorAll("details").forEach(e => { e.open = true; })`))
		b.wants(`document.documentElement.scrollWidth`, fmt.Sprint(width))
		b.wants(`Array.from(document.querySelectorAll("main, main *")).filter(e => !e.closest("svg, .scroll, .unseen") &&
				e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline").map(e => e.tagName + "." + e.className).join()`, "")
		b.wants(cutTables+`.filter(e => getComputedStyle(e, "::after").position !== "sticky").length`, "0")
		if b.Says(cutTables+`.length > 0`) == "true" {
			signStory(b, fmt.Sprintf("%d px, %s", width, scheme))
		} else if width < 1280 {
			t.Errorf("%d px: no table is cut, so that nothing was looked at", width)
		}
	}
}

// signStory looks at the first table that is cut, with its sign and without it: in every row the edge is another
// colour. At the table's end there is no sign, and the names of its rows are still there.
func signStory(b *tab, where string) {
	b.T.Helper()
	b.Do(chromedp.Evaluate[chromedp.Void](`window.cut = ` + cutTables + `[0]; cut.scrollIntoView({block: "start"})`))
	box := evaluated[[]int](b, `(() => { const r = cut.getBoundingClientRect(); return [r.right - 3, r.top, Math.min(r.bottom, innerHeight)].map(Math.round); })()`)
	differ := func() (share float64) {
		with := b.picture()
		b.Do(chromedp.Evaluate[chromedp.Void](`(() => { const s = new CSSStyleSheet(); s.replaceSync(".scroll::after { visibility: hidden; }");
			document.adoptedStyleSheets = [s]; })()`))
		without := b.picture()
		b.Do(chromedp.Evaluate[chromedp.Void](`document.adoptedStyleSheets = []`))
		n := 0
		for y := box[1]; y < box[2]; y++ {
			if with.At(box[0], y) != without.At(box[0], y) {
				n++
			}
		}
		return float64(n) / float64(box[2]-box[1])
	}
	if got := differ(); got < 0.99 {
		b.T.Errorf("%s: the sign is over %.0f %% of the edge, want all of it", where, 100*got)
	}
	b.Do(chromedp.Evaluate[chromedp.Void](`cut.scrollLeft = 9999`))
	b.wants(`cut.classList.contains("moved")`, "true")
	b.wants(`cut.querySelector("tbody th").getBoundingClientRect().left - cut.getBoundingClientRect().left`, "0")
	if got := differ(); got > 0.01 {
		b.T.Errorf("%s: there is a sign over %.0f %% of the edge at the table's end", where, 100*got)
	}
}

// picture is what the window shows.
func (b *tab) picture() image.Image {
	b.T.Helper()
	data, err := chromedp.Run(b.Ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.T.Fatal(err)
	}
	shot, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		b.T.Fatal(err)
	}
	return shot
}

// headingsStory scrolls through the matrix: its headings and the names of its rows stay in sight, whether its box
// scrolls or the window.
func headingsStory(t *testing.T, chromium context.Context) {
	for _, width := range []int64{390, 1280} {
		b := open(t, chromium, large(), "", chromedp.EmulateViewport(width, 500))
		b.Do(chromedp.Evaluate[chromedp.Void](`window.box = document.querySelector(".wide"); box.scrollTop = 300;
			if (!box.scrollTop) scrollTo(0, box.getBoundingClientRect().top + scrollY + 300); else box.scrollIntoView()`))
		b.wants(`(() => { const head = document.querySelector(".matrix thead th:nth-child(3)").getBoundingClientRect();
			return Math.abs(head.top - Math.max(0, box.getBoundingClientRect().top)) < 2; })()`, "true")
	}
}

// restStory shows more of a chart that has many curves, one by its name, and all.
func restStory(t *testing.T, chromium context.Context) {
	b := open(t, chromium, large(), "", chromedp.EmulateViewport(1400, 900))
	chart := `document.querySelector("#scenario-1 [data-kind=window]")`
	count := chart + `.querySelector(".count").textContent`
	lines := `Array.from(` + chart + `.querySelectorAll(".curve")).filter(c => getComputedStyle(c).display !== "none").length`
	b.wants(count, "8 of 16 shown: those furthest from exact")
	b.wants(lines, "8")
	b.Do(chromedp.Evaluate[chromedp.Void](chart + `.querySelector(".key tbody tr.rest th").click()`))
	b.wants(count, "9 of 16 shown")
	b.wants(lines, "9")
	others := chart + `.querySelector("[data-do=others]")`
	b.Do(chromedp.Evaluate[chromedp.Void](others + `.click()`))
	b.wants(lines, "16")
	b.wants(others+`.textContent`, "as at first")
	b.Do(chromedp.Evaluate[chromedp.Void](others + `.click()`))
	b.wants(count, "8 of 16 shown: those furthest from exact")
	b.wants(lines, "8")
}
