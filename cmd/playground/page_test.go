//go:build browser

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	diff "github.com/google/go-cmp/cmp"

	"ratelab/internal/browsertest"
	"ratelab/internal/scenario"
)

// The page in a real browser. It prints its times, and asserts none.
func TestInABrowser(t *testing.T) {
	chromium, dir := browsertest.Start(t), built(t)
	for _, story := range []struct {
		name string
		run  func(*testing.T, *tab)
	}{
		{"times", timesStory}, {"bad input", badStory},
	} {
		t.Run(story.name, func(t *testing.T) { story.run(t, open(t, chromium, alone(dir))) })
	}
	t.Run("figures", func(t *testing.T) {
		figuresStory(t, func() *tab { return open(t, chromium, alone(dir)) })
	})
	t.Run("links", func(t *testing.T) {
		address := served(t, dir)
		linkStory(t, open(t, chromium, address), func(link string) *tab { return open(t, chromium, link) })
	})
	t.Run("no WebAssembly", func(t *testing.T) {
		b := open(t, chromium, alone(dir), before("delete window.WebAssembly"))
		b.await("$('error').textContent.includes('has no WebAssembly')")
		b.Do(chromedp.Click("#link"))
		b.await("$('address').value.includes('#1:')")
	})
	t.Run("widths", func(t *testing.T) {
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{390, 1280} {
				b := open(t, chromium, alone(dir), chromedp.EmulateViewport(width, 900), browsertest.Media("", scheme))
				b.ready()
				b.run()
				b.await("document.documentElement.scrollWidth <= innerWidth")
				b.await("$('frame').clientHeight >= $('frame').contentDocument.body.scrollHeight")
			}
		}
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
	for range 2 {
		_, _, took = b.play("extreme-case-1")
		t.Logf("a warm run in %v", took.Round(time.Millisecond))
	}
	sound := b.Says("$('script').value")
	b.put("while true do end", "", "")
	if _, wrong, took = b.run(); !strings.HasPrefix(wrong, "The script gave no answer for five seconds") {
		t.Errorf("a loop gives %q", wrong)
	}
	t.Logf("a loop ended in %v", took.Round(time.Millisecond))
	b.put(sound, "", "")
	again, wrong, took := b.run()
	if again != right {
		t.Errorf("after a loop the answer is another one, %q", wrong)
	}
	t.Logf("and then an answer in %v", took.Round(time.Millisecond))
}

// badStory gives the page what is wrong: one sentence each, and the page goes on.
func badStory(t *testing.T, b *tab) {
	b.ready()
	sound := examples()[1]
	for _, c := range []struct{ name, script, binding, limit, want, marked string }{
		{"broken Lua", "local n = 1\nreturn n +", "", "", "my.lua: the script does not compile", "script 2"},
		{"broken YAML", "", "keys: [\"rl:{key}\"]\nargs: [", "", "my.yaml:", "binding 2"},
		{"struct", "return struct.pack('>I2', 1)", "", "", "struct", ""},
		{"a function", "return function() end", "", "", "my.lua: on trial", ""},
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

// linkStory makes a link and opens it: nothing runs, and then the answer is the same. A link that is cut, or of another
// version, is refused.
func linkStory(t *testing.T, b *tab, again func(link string) *tab) {
	b.ready()
	b.put("-- ä <b>'\"\n"+examples()[2].Script, examples()[2].Binding, "launch-spike")
	right, wrong, _ := b.run()
	if right == "" {
		t.Fatal(wrong)
	}
	b.Do(chromedp.Click("#link"))
	b.await("$('address').value.includes('#1:')")
	link, script := b.Says("$('address').value"), b.Says("$('script').value")
	other := again(link)
	other.ready()
	other.await("$('said').textContent.includes('came with the link')")
	if other.Says("$('script').value") != script || other.Says("Boolean(answer || asked)") != "false" {
		t.Errorf("the link opens %q", other.Says("$('script').value"))
	}
	if got, wrong, _ := other.run(); got != right {
		t.Errorf("the link gives another answer, %q", wrong)
	}
	for hash, want := range map[string]string{
		strings.Split(link, "#")[1][:60]:                            "This link is cut or damaged",
		strings.Replace(strings.Split(link, "#")[1], "1:", "7:", 1): "This link is of version 7",
	} {
		other.Says("(fail(''), location.hash = " + quoted(hash) + ")")
		other.await("$('error').textContent.startsWith(" + quoted(want) + ")")
	}
	if got, wrong, _ := other.run(); got != right {
		t.Errorf("after a bad link the page does not go on: %q", wrong)
	}
}

// ofScripts are the figures that a row has only where its script ran. In the page models decide for the built-in rows.
var ofScripts = []string{"commands", "round_trips", "keys_left", "keys_left_without_ttl", "script_sha1"}

// figuresStory compares the rows of the 20 scenarios with fewest requests with those of simulate.
func figuresStory(t *testing.T, opened func() *tab) {
	dir := t.TempDir()
	own := examples()[0]
	for name, text := range map[string]string{scriptName: own.Script, bindingName: own.Binding} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all, err := scenario.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, (*scenario.Scenario).Reactive)
	requests := func(s *scenario.Scenario) int64 { n, _ := s.Stream(s.Seed).Count(); return n }
	slices.SortFunc(all, func(a, b *scenario.Scenario) int { return cmp.Compare(requests(a), requests(b)) })
	var names []string
	for _, s := range all[:20] {
		names = append(names, s.Name)
	}
	args := append([]string{"run", "ratelab/cmd/simulate", "--script", filepath.Join(dir, scriptName), "--format",
		"json", "--charts", "none", "--quiet", "--out", filepath.Join(dir, "out")}, names...)
	c := exec.CommandContext(t.Context(), "go", args...)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	want := rows(t, out)
	b := opened()
	b.ready()
	b.put(own.Script, own.Binding, "")
	for i, name := range names {
		document, wrong, _ := b.play(name)
		if wrong != "" {
			t.Fatalf("%s: %s", name, wrong)
		}
		if d := diff.Diff(want[i], rows(t, []byte(document))[0]); d != "" {
			t.Errorf("%s (-simulate +page):\n%s", name, d)
		}
	}
	t.Logf("%d scenarios compared", len(names))
}

// rows are those of each run of a document: that of the visitor as it is, the others without the figures of scripts.
func rows(t *testing.T, document []byte) (all [][]string) {
	t.Helper()
	var d struct {
		Runs []struct{ Results []json.RawMessage }
	}
	if err := json.Unmarshal(document, &d); err != nil {
		t.Fatal(err)
	}
	for _, r := range d.Runs {
		var texts []string
		for _, row := range r.Results {
			var fields map[string]json.RawMessage
			if err := json.Unmarshal(row, &fields); err != nil {
				t.Fatal(err)
			}
			if string(fields["algorithm"]) != `"my"` {
				for _, name := range ofScripts {
					delete(fields, name)
				}
				var err error
				if row, err = json.Marshal(fields); err != nil {
					t.Fatal(err)
				}
			}
			texts = append(texts, string(row))
		}
		all = append(all, texts)
	}
	return all
}
