//go:build browser

package page

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"ratelab/internal/browsertest"
)

// The page in a real browser, from a file, as a reader has it.
func TestInABrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	for _, story := range []struct {
		name string
		run  func(t *testing.T, b *tab)
	}{
		{"sort by click and by Enter", sortStory},
		{"switch algorithms off and on", toggleStory},
		{"values under the pointer", hoverStory},
		{"values under the arrow keys", arrowStory},
		{"dark and light", themeStory},
		{"everything has a name and a role", accessibleStory},
	} {
		t.Run(story.name, func(t *testing.T) {
			story.run(t, open(t, chromium, everything(), "", chromedp.EmulateViewport(1400, 900),
				browsertest.Media("", "light")))
		})
	}
	t.Run("what was measured", func(t *testing.T) { measuredStory(t, chromium) })
	t.Run("state in the address", func(t *testing.T) { addressStory(t, chromium) })
	t.Run("at every width", func(t *testing.T) { widthsStory(t, chromium) })
	t.Run("headings that stay", func(t *testing.T) { headingsStory(t, chromium) })
	t.Run("more curves than one can tell apart", func(t *testing.T) { restStory(t, chromium) })
	t.Run("a phone", func(t *testing.T) { phoneStory(t, chromium) })
	t.Run("on paper", func(t *testing.T) { paperStory(t, chromium) })
	t.Run("without a script", func(t *testing.T) { scriptlessStory(t, chromium) })
	t.Run("a narrower place at the end", func(t *testing.T) { endStory(t, chromium) })
	t.Run("a large page", func(t *testing.T) { largeStory(t, chromium) })
}

const (
	firstTable = `document.querySelector("#small table.sorts")`
	rowNames   = `Array.from(` + firstTable + `.tBodies[0].rows, r => r.cells[0].textContent)`
	sortedBy   = `Array.from(` + firstTable +
		`.querySelectorAll("thead th[aria-sort]"), h => h.textContent + " " + h.getAttribute("aria-sort"))`
	windowKey  = `Array.from(document.querySelectorAll("#small [data-kind=window] .key tbody tr"), r => getComputedStyle(r).display === "none" ? "" : r.cells[0].innerText.trim() + "=" + r.querySelector(".v").textContent).filter(Boolean).join("; ")`
	valueHead  = `document.querySelector("#small [data-kind=window] .key th.v").textContent`
	drawnLines = `Array.from(document.querySelectorAll("#small [data-kind=window] .curve"), c => getComputedStyle(c).display).join()`
)

func sortStory(t *testing.T, b *tab) {
	b.wants(rowNames, "none,fixed-window-aligned,gcra,sliding-window-log")
	column := func(name string) string {
		return `(//section[@id="small"]//table)[1]/thead//button[.="` + name + `"]`
	}
	b.Do(chromedp.Click(column("admitted")))
	b.wants(sortedBy, "admitted descending")
	b.Do(chromedp.Click(column("admitted")))
	b.wants(rowNames, "sliding-window-log,gcra,none,fixed-window-aligned") // equals stay in their order
	b.wants(sortedBy, "admitted ascending")
	b.Do(chromedp.Click(column("peak")))
	b.wants(rowNames, "none,fixed-window-aligned,gcra,sliding-window-log")
	b.Do(chromedp.Focus(column("limiter")))
	b.press(kb.Enter)
	b.wants(rowNames, "fixed-window-aligned,gcra,none,sliding-window-log")
	b.wants(sortedBy, "limiter ascending")
	b.press(kb.Enter)
	b.wants(rowNames, "sliding-window-log,none,gcra,fixed-window-aligned")
	b.Do(chromedp.Focus(column("burst")))
	b.press(kb.Enter, kb.Enter) // the burst: who has none is last, either way
	b.wants(rowNames+"[0]", "gcra")
	b.wants(firstTable+`.tFoot.rows[0].cells[0].textContent`, "exact reference")
}

func toggleStory(t *testing.T, b *tab) {
	both := "fixed-window-aligned=8; gcra=6; sliding-window-log, exact reference=4"
	b.wants(windowKey, both)
	b.wants(drawnLines, "inline,inline,inline")
	b.Do(chromedp.Click(chromedp.CSS(`input[value="gcra"]`)))
	b.wants(windowKey, "fixed-window-aligned=8; sliding-window-log, exact reference=4")
	b.wants(drawnLines, "inline,none,inline")
	b.Do(chromedp.Click(chromedp.CSS(`input[value="none"]`))) // has the same curve as the fixed window, and comes first
	b.wants(windowKey, "none, fixed-window-aligned=8; sliding-window-log, exact reference=4")
	b.wants(`document.querySelector("#small .curve").classList.contains("a0")`, "true")
	b.wants(`location.hash`, "#&off=gcra")
	b.Do(chromedp.Click(chromedp.CSS(`[data-do=none]`)))
	b.wants(drawnLines, "none,none,none")
	b.Do(chromedp.Click(chromedp.CSS(`[data-do=first]`)))
	b.wants(windowKey, both)
	b.wants(drawnLines, "inline,inline,inline")
	b.Do(chromedp.Focus(chromedp.CSS(`input[value="fixed-window-aligned"]`)))
	b.press(" ")
	b.wants(windowKey, "gcra=6; sliding-window-log, exact reference=4")
	b.wants(`document.querySelector("#small .area").viewBox.baseVal.height`, "7") // the scale follows
}

func addressStory(t *testing.T, chromium context.Context) {
	b := open(t, chromium, everything(), "#second&off=gcra,none,exact%20reference", chromedp.EmulateViewport(1400, 900))
	b.wants(windowKey, "fixed-window-aligned=8; sliding-window-log=4")
	b.wants(`Math.abs(document.querySelector("#second").getBoundingClientRect().top) < 60`, "true")
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("nav a[href='#small']").click()`))
	b.Do(chromedp.Poll[chromedp.Void](`location.hash === "#small&off=none,gcra,exact%20reference"`))
	b.wants(windowKey, "fixed-window-aligned=8; sliding-window-log=4")
}

func hoverStory(t *testing.T, b *tab) {
	b.wants(valueHead, "highest")
	b.moveTo("#small [data-kind=window] .pad", 0.3, 0.5) // the second of four places
	b.wants(valueHead, "1–2 s")
	b.wants(windowKey, "fixed-window-aligned=4; gcra=4; sliding-window-log, exact reference=4")
	b.moveTo("#small [data-kind=window] .pad", 0.6, 0.5)
	b.wants(windowKey, "fixed-window-aligned=8; gcra=6; sliding-window-log, exact reference=4")
	b.moveTo("#small [data-kind=cumulative] .pad", 0.7, 0.5)
	b.wants(valueHead, "highest") // the pointer has left
}

func arrowStory(t *testing.T, b *tab) {
	b.Do(chromedp.Focus(chromedp.CSS("#small [data-kind=window] .pad")))
	b.wants(valueHead, "0–1 s")
	spoken := `document.activeElement.getAttribute("aria-valuetext")`
	b.press(kb.ArrowRight, kb.ArrowRight)
	b.wants(spoken, "2–3 s: fixed-window-aligned 8; gcra 6; sliding-window-log, exact reference 4")
	b.wants(`document.activeElement.getAttribute("aria-valuenow")`, "2")
	b.press(kb.Home)
	b.wants(spoken, "0–1 s: fixed-window-aligned 0; gcra 0; sliding-window-log, exact reference 0")
	b.press(kb.ArrowLeft, kb.End, kb.ArrowRight)
	b.wants(valueHead, "3–4 s")
	b.Do(chromedp.Focus(chromedp.CSS("#small [data-kind=cumulative] .pad")))
	b.wants(valueHead, "highest")
	b.press(kb.ArrowRight)
	b.wants(spoken, "1–2 s: fixed-window-aligned 4; gcra 4; sliding-window-log, exact reference 4")
}

// endStory points at the last place, of which only a half lies before the scenario's end.
func endStory(t *testing.T, chromium context.Context) {
	b := open(t, chromium, halved(), "", chromedp.EmulateViewport(1400, 900))
	b.moveTo("#small [data-kind=window] .pad", 0.99, 0.5)
	b.wants(valueHead, "3–3.5 s")
	b.wants(`document.querySelector("#small [data-kind=window] .cross").getAttribute("d").split(" ")[0]`, "M3.25")
	b.moveTo("#small [data-kind=window] .pad", 0.84, 0.5) // three of three and a half places end at 0.857
	b.wants(valueHead, "2–3 s")
}

// measuredStory points at the figure of the wall clock, which begins later than the scenario, and has gaps.
func measuredStory(t *testing.T, chromium context.Context) {
	b := open(t, chromium, measuredToo(), "", chromedp.EmulateViewport(1400, 900), browsertest.Media("", "light"))
	key := func(kind string) string {
		return `Array.from(document.querySelectorAll("[data-kind=` + kind + `] .key tbody tr"), r => Array.from(r.querySelectorAll("bdi, td"), e => e.textContent).join(" ")).join("; ")`
	}
	head := func(kind string) string {
		return `document.querySelector("[data-kind=` + kind + `] .key th.v").textContent`
	}
	b.wants(key("played-admitted"), "gcra 900 900; gcra:burst=2 95 95")
	b.moveTo("[data-kind=played-admitted] .pad", 0.5, 0.5)
	b.wants(head("played-admitted"), "2–3 s")
	b.wants(key("played-admitted"), "gcra – –; gcra:burst=2 95 –")
	b.moveTo("[data-kind=played-admitted] .pad", 0.9, 0.5)
	b.wants(key("played-admitted"), "gcra 900 900; gcra:burst=2 95 –")
	b.moveTo("[data-kind=played-rate] .pad", 0.1, 0.5)
	b.wants(head("played-rate"), "1–2 s")
	b.wants(key("played-rate"), "offered 4; gcra 2; gcra:burst=2 0.5")
	b.moveTo("[data-kind=played-window] .pad", 0.5, 0.5)
	b.wants(key("played-window"), "gcra 6; gcra:burst=2 2")
	b.Do(chromedp.Click(chromedp.CSS(`input[value=gcra]`)))
	b.wants(`document.querySelector("[data-kind=played-rate] .area").viewBox.baseVal.height`, "1000") // its scale stays
	b.wants(`Array.from(document.querySelectorAll("h3"), h => h.textContent).slice(0, 2).join("; ")`,
		"Decided in virtual time: exact; Measured by the wall clock on redis 8.0.3 (container, unix)")
}

func themeStory(t *testing.T, b *tab) {
	ground := `getComputedStyle(document.body).backgroundColor`
	b.wants(ground, "rgb(253, 253, 251)")
	b.Do(chromedp.Click(chromedp.CSS(`[data-do=theme]`)))
	b.wants(ground, "rgb(22, 24, 27)")
	b.wants(`document.querySelector("[data-do=theme]").textContent`, "light")
	b.Do(chromedp.Click(chromedp.CSS(`[data-do=theme]`)))
	b.wants(ground, "rgb(253, 253, 251)")
	b.Do(chromedp.Evaluate[chromedp.Void](`localStorage.clear(); delete document.documentElement.dataset.theme`),
		browsertest.Media("", "dark"))
	b.wants(ground, "rgb(22, 24, 27)")
	// what it leads to
	b.Do(chromedp.Poll[chromedp.Void](`document.querySelector("[data-do=theme]").textContent === "light"`))
	b.wants(`getComputedStyle(document.querySelector("#small .curve")).stroke !== getComputedStyle(document.body).color`, "true")
}

func accessibleStory(t *testing.T, b *tab) {
	b.wants(`Array.from(document.querySelectorAll("button, [role=slider], [role=region], input, a"),
		e => e.textContent.trim() || e.getAttribute("aria-label") || (e.labels && e.labels[0].textContent)).filter(n => !n).length`, "0")
	b.wants(`document.querySelectorAll("h1").length`, "1")
	b.wants(`Array.from(document.querySelectorAll("[id]"), e => e.id).filter((id, i, list) => list.indexOf(id) !== i).length`, "0")
	b.wants(`Array.from(document.querySelectorAll("a[href^='#']")).filter(a => !document.getElementById(a.hash.slice(1))).length`, "0")
	b.press(kb.Tab)
	b.wants(`document.activeElement.className + getComputedStyle(document.activeElement).outlineStyle`, "skipsolid")
}

func phoneStory(t *testing.T, chromium context.Context) {
	b := open(t, chromium, large(), "", chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile))
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll(".run").forEach(e => { e.style.contentVisibility = "visible"; })`))
	b.wants(`document.documentElement.scrollWidth`, "360")
	b.wants(`innerWidth`, "360")
	b.wants(`document.querySelector(".wide").scrollWidth > 360`, "true") // tables scroll in their own box
	b.wants(`document.querySelector(".narrow").scrollWidth <= document.querySelector(".narrow").clientWidth`, "true")
}

func paperStory(t *testing.T, chromium context.Context) {
	b := open(t, chromium, everything(), "", browsertest.Media("print", "dark"))
	b.wants(`getComputedStyle(document.body).color`, "rgb(31, 35, 40)")
	b.wants(`getComputedStyle(document.querySelector("aside")).display`, "none")
	b.wants(`document.querySelector(".columns dd").checkVisibility()`, "true") // though it is closed
	b.wants(`getComputedStyle(document.querySelector("#second")).breakBefore`, "page")
	sheets, err := chromedp.Run(b.Ctx, chromedp.PrintToPDF())
	if err != nil {
		t.Fatal(err)
	}
	if pdf := string(sheets); !strings.HasPrefix(pdf, "%PDF-") || strings.Count(pdf, "/Type /Page\n") < 3 {
		t.Errorf("%d bytes, %d pages", len(pdf), strings.Count(pdf, "/Type /Page\n"))
	}
}

func scriptlessStory(t *testing.T, chromium context.Context) {
	b := open(t, chromium, everything(), "", withoutScripts(), chromedp.EmulateViewport(1400, 900))
	b.wants(`document.documentElement.dataset.ready`, "undefined")
	b.wants(windowKey, "fixed-window-aligned=8; gcra=6; sliding-window-log, exact reference=4")
	b.wants(`document.querySelector("#small .curve").getBoundingClientRect().width > 300`, "true")
	b.wants(`Array.from(document.querySelectorAll("button, input, .controls")).filter(e => e.getClientRects().length > 0).length`, "0")
}

// largeStory shows how long the largest page takes until it answers; nothing is asserted of it.
func largeStory(t *testing.T, chromium context.Context) {
	b := open(t, chromium, large(), "", chromedp.EmulateViewport(1400, 900))
	b.wants(`document.documentElement.dataset.ready`, "")
	t.Logf("from the start to DOMContentLoaded %s ms, of which the script %s ms; first paint at %s ms",
		b.Says(`performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd.toFixed()`),
		b.Says(`performance.getEntriesByName("ready")[0].duration.toFixed()`),
		b.Says(`performance.getEntriesByName("first-contentful-paint").map(e => e.startTime.toFixed()).join()`))
	b.moveTo("#scenario-26 .pad", 0.5, 0.5)
	b.wants(`document.querySelector("#scenario-26 .key th.v").textContent`, "2.56–2.58 s")
}
