//go:build browser

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a step in the browser may take before it counts as stuck; no test depends on how long it does
// take.
const patience = 3 * time.Minute

// browser is a headless Chromium. Where there is none the test is skipped, unless REQUIRE_BROWSER is 1.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		if os.Getenv("REQUIRE_BROWSER") == "1" {
			t.Fatal("REQUIRE_BROWSER is 1, and there is no chromium on PATH; install it")
		}
		t.Skip("no chromium on PATH")
	}
	allocator, stop := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(patience))...)
	t.Cleanup(stop)
	ctx, quit := chromedp.NewContext(allocator)
	t.Cleanup(quit)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("%s does not start: %v", path, err)
	}
	return ctx
}

// tab is one page in the browser, and all that was said against it.
type tab struct {
	t        *testing.T
	ctx      context.Context
	mutex    sync.Mutex
	problems []string
}

// command is a step of the protocol itself.
func command[P, R any](c cdp.Command[P, R], parameters P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, parameters)
		return err
	})
}

// open shows an address. When the test ends there must have been no word on the console, no violation of the policy and
// no request but those for the page, its engine and its own blobs.
func open(t *testing.T, chromium context.Context, address string, first ...chromedp.Action[chromedp.Void]) *tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(chromium)
	t.Cleanup(closeTab)
	ctx, stop := context.WithTimeout(ctx, patience)
	t.Cleanup(stop)
	b := &tab{t: t, ctx: ctx}
	b.do(command(network.Enable, network.EnableParams{}), command(log.Enable, cdp.Empty{}))
	base, _, _ := strings.Cut(address, "#")
	if err := chromedp.Listen(ctx, func(event any) { b.listen(event, base) }); err != nil {
		t.Fatal(err)
	}
	b.do(first...)
	b.do(chromedp.Navigate(address))
	t.Cleanup(func() {
		b.mutex.Lock()
		defer b.mutex.Unlock()
		for _, p := range b.problems {
			t.Error(p)
		}
	})
	return b
}

func (b *tab) listen(event any, base string) {
	problem := ""
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		problem = fmt.Sprintf("on the console: %s %v", e.Type, e.Args)
	case *runtime.EventExceptionThrown:
		problem = fmt.Sprintf("exception: %+v", e.ExceptionDetails)
	case *log.EventEntryAdded:
		problem = "in the log: " + e.Entry.Text
	case *network.EventRequestWillBeSent:
		url, _, _ := strings.Cut(e.Request.URL, "#")
		if url != base && !strings.HasPrefix(url, "blob:") && !strings.HasPrefix(url, base+"ratelab.") {
			problem = "a request for " + e.Request.URL
		}
	}
	if problem != "" {
		b.mutex.Lock()
		b.problems = append(b.problems, problem)
		b.mutex.Unlock()
	}
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// says evaluates an expression that gives a string.
func (b *tab) says(expression string) string {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// await waits until an expression holds, and gives how long that took.
func (b *tab) await(expression string) time.Duration {
	b.t.Helper()
	began := time.Now()
	for b.says("Boolean("+expression+")") != "true" {
		if time.Since(began) > patience/2 {
			b.t.Fatalf("%s never holds; the page says %q and %q", expression, b.says("$('said').textContent"),
				b.says("$('error').textContent"))
		}
		b.do(chromedp.Sleep(20 * time.Millisecond))
	}
	return time.Since(began)
}

// ready waits until the engine can be asked.
func (b *tab) ready() time.Duration {
	b.t.Helper()
	return b.await("!$('run').disabled")
}

// put fills the page's fields: a script and a binding, or "" for those that are there, and a scenario.
func (b *tab) put(script, binding, scenario string) {
	b.t.Helper()
	for id, text := range map[string]string{"script": script, "binding": binding, "scenario": scenario} {
		if text != "" {
			b.says(fmt.Sprintf("($(%q).value = %s)", id, quoted(text)))
		}
	}
}

// run presses Run, and waits for the answer or an error. It gives the document, and what is wrong.
func (b *tab) run() (document, wrong string, took time.Duration) {
	b.t.Helper()
	b.says("(answer = null, fail(''), $('run').click())")
	took = b.await("answer || $('error').textContent")
	document, wrong = b.says("answer ? answer.document : ''"), b.says("$('error').textContent")
	b.says("stop()")
	return document, wrong, took
}

// play has the worker decide a scenario, without what the page does after it.
func (b *tab) play(scenario string) (document, wrong string, took time.Duration) {
	b.t.Helper()
	b.says("(answer = null, $('scenario').value = " + quoted(scenario) + ", " +
		"ask('play', Object.fromEntries(fields.map((f) => [f, $(f).value])))" +
		".then((a) => { answer = a; }, (e) => fail(e.message)), '')")
	took = b.await("answer || $('error').textContent")
	return b.says("answer ? answer.document : ''"), b.says("$('error').textContent"), took
}

func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// media emulates a colour scheme.
func media(scheme string) chromedp.Action[chromedp.Void] {
	return command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// before runs a script in a page before the page's own.
func before(source string) chromedp.Action[chromedp.Void] {
	return command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: source})
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
