//go:build browser

package page

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a step in the browser may take before it counts as stuck; no test depends on how long it does
// take.
const patience = 2 * time.Minute

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
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.WSURLReadTimeout(patience))
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, quit := chromedp.NewContext(allocator)
	t.Cleanup(quit)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("%s does not start: %v", path, err)
	}
	return ctx
}

// step is one thing to do in a tab.
type step = chromedp.Action[chromedp.Void]

// command is a step of the protocol itself.
func command[P, R any](c cdp.Command[P, R], parameters P) step {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, parameters)
		return err
	})
}

// tab is one page in the browser, and all that was said against it.
type tab struct {
	t        *testing.T
	ctx      context.Context
	address  string
	mutex    sync.Mutex
	problems []string
}

// open shows the page from a file, after the first steps have been taken. When the test ends there must have been no
// word on the console, no violation of the policy and no request but that for the file.
func open(t *testing.T, chromium context.Context, in Input, hash string, first ...step) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "index.html")
	if err := os.WriteFile(file, []byte(rendered(t, in)), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, closeTab := chromedp.NewContext(chromium)
	t.Cleanup(closeTab)
	ctx, stop := context.WithTimeout(ctx, patience)
	t.Cleanup(stop)
	b := &tab{t: t, ctx: ctx, address: "file://" + file}
	b.do(command(network.Enable, network.EnableParams{}), command(log.Enable, cdp.Empty{}))
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	b.do(first...)
	b.do(chromedp.Navigate(b.address + hash))
	t.Cleanup(func() {
		b.mutex.Lock()
		defer b.mutex.Unlock()
		for _, p := range b.problems {
			t.Error(p)
		}
	})
	return b
}

func (b *tab) listen(event any) {
	problem := ""
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		problem = fmt.Sprintf("on the console: %s %v", e.Type, e.Args)
	case *runtime.EventExceptionThrown:
		problem = fmt.Sprintf("exception: %+v", e.ExceptionDetails)
	case *log.EventEntryAdded:
		problem = "in the log: " + e.Entry.Text
	case *network.EventRequestWillBeSent:
		if e.Request.URL != b.address && !strings.HasPrefix(e.Request.URL, "data:") {
			problem = "a request for " + e.Request.URL
		}
	}
	if problem != "" {
		b.mutex.Lock()
		b.problems = append(b.problems, problem)
		b.mutex.Unlock()
	}
}

func (b *tab) do(steps ...step) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

func evaluated[T any](b *tab, expression string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// says evaluates an expression that gives a string.
func (b *tab) says(expression string) string {
	b.t.Helper()
	return evaluated[string](b, "String("+expression+")")
}

// wants waits until the expression is so: Chromium lays out a part of the page when it comes into view, and until then
// its elements have no text of their own.
func (b *tab) wants(expression, want string) {
	b.t.Helper()
	got := b.says(expression)
	for range 100 {
		if got == want {
			return
		}
		b.do(chromedp.Sleep(20 * time.Millisecond))
		got = b.says(expression)
	}
	b.t.Errorf("%s\nis   %q\nwant %q", expression, got, want)
}

// press sends keys to what has the focus.
func (b *tab) press(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		b.do(chromedp.KeyEvent(k))
	}
}

// moveTo puts the pointer at a share of an element's box.
func (b *tab) moveTo(selector string, x, y float64) {
	b.t.Helper()
	box := evaluated[[]float64](b, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "center"});
		const r = e.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()`, selector))
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, box[0]+x*box[2], box[1]+y*box[3]))
}

// media emulates a medium and a colour scheme.
func media(medium, scheme string) step {
	return command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// withoutScripts switches JavaScript off before a page is opened.
func withoutScripts() step {
	return command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}
