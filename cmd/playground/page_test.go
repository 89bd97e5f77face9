//go:build browser

package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	diff "github.com/google/go-cmp/cmp"

	"ratelab/internal/browsertest"
)

// The page in a real browser. It prints its times, and asserts none. One tab has the page from a file, and one from a
// host.
func TestInABrowser(t *testing.T) {
	chromium, dir := browsertest.Start(t), built(t)
	file := open(t, chromium, alone(dir))
	for _, story := range []struct {
		name string
		run  func(*testing.T, *tab)
	}{
		{"times", timesStory}, {"bad input", badStory}, {"figures", figuresStory}, {"keys", keysStory},
		{"widths", widthsStory},
	} {
		t.Run(story.name, func(t *testing.T) { story.run(t, file.of(t)) })
	}
	t.Run("links", func(t *testing.T) {
		link, right := linkStory(t, file.of(t))
		_, fragment, _ := strings.Cut(link, "#")
		openedStory(t, open(t, chromium, served(t, dir)+"#"+fragment), link, right)
	})
	t.Run("no WebAssembly", func(t *testing.T) {
		b := open(t, chromium, alone(dir), before("delete window.WebAssembly"))
		b.await("$('error').textContent.includes('has no WebAssembly')")
		b.Do(chromedp.Click("#link"))
		b.await("$('address').value.includes('#1:')")
	})
}

// timesStory has a first answer, a warm one, and a right one after a loop was ended.
func timesStory(t *testing.T, b *tab) {
	t.Logf("ready in %v", b.ready().Round(time.Millisecond))
	right, wrong, took := b.run()
	if wrong != "" || right == "" {
		t.Fatalf("no answer: %q", wrong)
	}
	t.Logf("the first answer in %v", took.Round(time.Millisecond))
	_, _, took = b.play("extreme-case-1")
	t.Logf("a warm run in %v", took.Round(time.Millisecond))
	sound := b.Says("$('script').value")
	for script, want := range map[string]string{
		"local n = 1\nwhile true do n = n + 1 end":                      "my.lua:2: the script gave no answer for 4s",
		"string.find(string.rep('a', 50), string.rep('a-', 30) .. 'b')": "The script gave no answer for five seconds",
	} {
		b.put(script, "", "")
		if _, wrong, took = b.run(); !strings.HasPrefix(wrong, want) {
			t.Errorf("%s: %q, want %q", script, wrong, want)
		}
		t.Logf("a loop ended in %v", took.Round(time.Millisecond))
	}
	b.put(sound, "", "")
	again, wrong, took := b.run()
	if again != right {
		t.Errorf("after a loop the answer is another one, %q", wrong)
	}
	t.Logf("and then an answer in %v", took.Round(time.Millisecond))
}

// badStory gives the page what is wrong: one sentence each, and the page goes on.
func badStory(t *testing.T, b *tab) {
	sound := examples()[1]
	for _, c := range []struct{ name, script, binding, limit, want, marked string }{
		{"broken Lua", "local n = 1\nreturn n +", "", "", "my.lua: the script does not compile", "script 2"},
		{"broken YAML", "", "keys: [\"rl:{key}\"]\nargs: [", "", "my.yaml:", "binding 2"},
		{"struct", "return struct.pack('>I2', 1)", "", "",
			"of struct.pack; on a terminal use --redis process", ""},
		{"a function", "return function() end", "", "", "my.lua: request at", ""},
		{"memory", "local t = {}\nfor i = 1, 600 do t[i] = string.rep(tostring(i % 10), 1048576) end\nreturn 1", "", "",
			"The script took more than 512 MB of memory", ""},
		{"a limit", "", "", "many", "limit \"many\"", ""},
		{"nothing", " ", "", "", "the script is empty", ""},
	} {
		b.put(sound.Script, sound.Binding, "extreme-case-1")
		b.put(c.script, c.binding, "")
		b.Says("($('limit').value = " + quoted(c.limit) + ")")
		document, wrong, _ := b.run()
		if document != "" || !strings.Contains(wrong, c.want) || strings.Contains(wrong, "\n") {
			t.Errorf("%s: %q, want %q", c.name, wrong, c.want)
		}
		t.Logf("%s: %s", c.name, wrong)
		at := "['script', 'binding'].flatMap((id) => [...$(id).previousElementSibling.children].flatMap((l, i) => " +
			"l.className ? id + ' ' + (i + 1) : []))"
		if got := b.Says(at); c.marked != "" && got != c.marked {
			t.Errorf("%s: the marked line is %q, want %q", c.name, got, c.marked)
		}
	}
	b.put(sound.Script, sound.Binding, "")
	b.Says("($('limit').value = '')")
	if document, wrong, _ := b.run(); document == "" {
		t.Errorf("the page does not go on: %q", wrong)
	}
}

// figuresStory has the document that the same engine writes outside of the browser; TestFigures compares that.
func figuresStory(t *testing.T, b *tab) {
	own := examples()[4]
	b.put(own.Script, own.Binding, "")
	for _, name := range []string{"extreme-case-2", "borrowed-cost", "server-clock-step"} {
		got, wrong, took := b.play(name)
		if want := documentOf(t, own, name); got != want {
			t.Errorf("%s, %q (-outside +page):\n%s", name, wrong, diff.Diff(want, got))
		}
		t.Logf("%s in %v", name, took.Round(time.Millisecond))
	}
}

// keysStory goes through the page by keyboard: Ctrl+Enter in the editor runs the script, the cells of scenarios fill,
// right and left go along them, and Enter runs the one in focus.
func keysStory(t *testing.T, b *tab) {
	own := examples()[2]
	b.put(own.Script, own.Binding, "poisson")
	b.Says("(answer = null, $('script').focus())")
	b.Do(chromedp.KeyEvent("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.await("answer && [...buttons.values()].filter((b) => b.firstChild?.textContent !== '\u2026').length > 3")
	got := b.Says("$('frame').contentDocument.querySelector('h1').textContent")
	if !strings.HasSuffix(got, "; fault: off by one.") {
		t.Errorf("the answer is %q", got)
	}
	b.Says("buttons.get(data.scenarios[0].name).focus()")
	b.Do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowLeft))
	b.Says("(answer = null)")
	b.Do(chromedp.KeyEvent("\r"))
	b.await("answer && answer.document.includes(`\"scenario\": \"${data.scenarios[1].name}\"`)")
	if got := b.Says("document.activeElement.value"); got != b.Says("data.scenarios[1].name") {
		t.Errorf("the focus is on %q", got)
	}
	b.Says("stop()")
}

// widthsStory has the answer on a phone and a desk, in light and dark: the page does not scroll sideways, and the frame
// is as high as the answer. The fault has a chart of its traffic.
func widthsStory(t *testing.T, b *tab) {
	own := examples()[3]
	b.put(own.Script, own.Binding, "extreme-case-1")
	b.ready()
	b.Says("(answer = examination = null, $('run').click())")
	b.await("examination && $('frame').contentDocument.querySelector('li figure svg path')")
	b.Says("stop()")
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{390, 1280} {
			b.Do(chromedp.EmulateViewport(width, 900), browsertest.Media("", scheme))
			b.await("innerWidth === " + fmt.Sprint(width))
			b.await("document.documentElement.scrollWidth <= innerWidth")
			b.await("$('frame').clientHeight >= $('frame').contentDocument.body.scrollHeight")
		}
	}
}

// linkStory makes a link, and gives the answer to what is in it.
func linkStory(t *testing.T, b *tab) (link, right string) {
	b.put("-- ä <b>'\"\n"+examples()[2].Script, examples()[2].Binding, "launch-spike")
	right, wrong, _ := b.run()
	if right == "" {
		t.Fatal(wrong)
	}
	b.Do(chromedp.Click("#link"))
	b.await("$('address').value.includes('#1:')")
	return b.Says("$('address').value"), right
}

// openedStory has opened a link: nothing runs, and then the answer is the same. A link that is cut, or of another
// version, is refused.
func openedStory(t *testing.T, b *tab, link, right string) {
	b.ready()
	b.await("$('said').textContent.includes('came with the link')")
	if !strings.HasPrefix(b.Says("$('script').value"), "-- ä <b>'\"\n") ||
		b.Says("Boolean(answer || asked)") != "false" {
		t.Errorf("the link opens %q", b.Says("$('script').value"))
	}
	for hash, want := range map[string]string{
		strings.Split(link, "#")[1][:60]:                            "This link is cut or damaged",
		strings.Replace(strings.Split(link, "#")[1], "1:", "7:", 1): "This link is of version 7",
	} {
		b.Says("(fail(''), location.hash = " + quoted(hash) + ")")
		b.await("$('error').textContent.startsWith(" + quoted(want) + ")")
		if said := b.Says("$('said').textContent"); said != "" {
			t.Errorf("beside the error of a link the page says %q", said)
		}
	}
	// An open quote is one part to the end of its line, so that the rest is read once.
	const matches = "[['\"' + '\\\\\"'.repeat(99), lua], ['\"\\\\'.repeat(99), yaml]]" +
		".map(([text, words]) => [...text.matchAll(words)].length).join()"
	if got := b.Says(matches); got != "1,1" {
		t.Errorf("lines of open quotes have %s coloured parts, want one each", got)
	}
	if got, wrong, _ := b.run(); got != right {
		t.Errorf("the link gives another answer, %q", wrong)
	}
}
