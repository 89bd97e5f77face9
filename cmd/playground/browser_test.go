//go:build browser

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"ratelab/internal/browsertest"
)

// tab is the playground in a browser.
type tab struct{ *browsertest.Tab }

// open shows an address. The page may load itself, its engine and its own blobs.
func open(t *testing.T, chromium context.Context, address string, first ...browsertest.Step) *tab {
	t.Helper()
	base, _, _ := strings.Cut(address, "#")
	return &tab{browsertest.Open(t, chromium, address, func(url string) bool {
		url, _, _ = strings.Cut(url, "#")
		return url == base || strings.HasPrefix(url, "blob:") || strings.HasPrefix(url, base+"ratelab.")
	}, first...)}
}

// of is the tab in a test of its own.
func (b *tab) of(t *testing.T) *tab {
	b.T = t
	return b
}

// await waits until an expression holds, and gives how long that took.
func (b *tab) await(expression string) time.Duration {
	b.T.Helper()
	began := time.Now()
	for b.Says("Boolean("+expression+")") != "true" {
		if time.Since(began) > browsertest.Patience/2 {
			b.T.Fatalf("%s never holds; the page says %q and %q", expression, b.Says("$('said').textContent"),
				b.Says("$('error').textContent"))
		}
		b.Do(chromedp.Sleep(20 * time.Millisecond))
	}
	return time.Since(began)
}

// ready waits until the engine can be asked.
func (b *tab) ready() time.Duration {
	b.T.Helper()
	return b.await("!$('run').disabled")
}

// put fills the page's fields: a script and a binding, or "" for those that are there, and a scenario.
func (b *tab) put(script, binding, scenario string) {
	b.T.Helper()
	for id, text := range map[string]string{"script": script, "binding": binding, "scenario": scenario} {
		if text != "" {
			b.Says(fmt.Sprintf("($(%q).value = %s)", id, quoted(text)))
		}
	}
}

// run presses Run, and waits for the answer or an error. It gives the document, and what is wrong.
func (b *tab) run() (document, wrong string, took time.Duration) {
	b.T.Helper()
	b.Says("(answer = null, fail(''), $('run').click())")
	took = b.await("answer || $('error').textContent")
	document, wrong = b.Says("answer ? answer.document : ''"), b.Says("$('error').textContent")
	b.Says("stop()")
	return document, wrong, took
}

// play has the worker decide a scenario, without what the page does after it.
func (b *tab) play(scenario string) (document, wrong string, took time.Duration) {
	b.T.Helper()
	b.Says("(answer = null, $('scenario').value = " + quoted(scenario) + ", " +
		"ask('play', Object.fromEntries(fields.map((f) => [f, $(f).value])))" +
		".then((a) => { answer = a; }, (e) => fail(e.message)), '')")
	took = b.await("answer || $('error').textContent")
	return b.Says("answer ? answer.document : ''"), b.Says("$('error').textContent"), took
}

func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// before runs a script in a page before the page's own.
func before(source string) browsertest.Step {
	return browsertest.Command(page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: source})
}

// built is the folder with both forms of the page.
func built(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := build(dir, nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

// served is the address of a folder on a host of its own.
func served(t *testing.T, dir string) string {
	t.Helper()
	host := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(host.Close)
	return host.URL + "/"
}

func alone(dir string) string { return "file://" + filepath.Join(dir, "playground.html") }
