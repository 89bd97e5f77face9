//go:build browser

// Package browsertest opens pages in a headless Chromium for tests. It fails a test if the page reports a problem or
// makes a request that is not allowed.
package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Patience is how long a page may take before it counts as stuck. No test depends on the actual time.
const Patience = 5 * time.Minute

// Step is one action in a tab.
type Step = chromedp.Action[chromedp.Void]

// Start starts a Chromium. Without a Chromium on PATH, it skips the test, or fails it if REQUIRE_BROWSER is 1.
func Start(t *testing.T) context.Context {
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
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(Patience))...)
	t.Cleanup(stop)
	ctx, quit := chromedp.NewContext(allocator)
	t.Cleanup(quit)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("%s does not start: %v", path, err)
	}
	return ctx
}

// Command is a step that calls a command of the DevTools protocol.
func Command[P, R any](c cdp.Command[P, R], parameters P) Step {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, parameters)
		return err
	})
}

// Media emulates a medium ("" for a screen) and a colour scheme.
func Media(medium, scheme string) Step {
	return Command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// Tab is one page in the browser, with all reported problems.
type Tab struct {
	T        *testing.T
	Ctx      context.Context
	mayLoad  func(url string) bool
	mutex    sync.Mutex
	problems []string
}

// Open takes the first steps, and then opens the page at an address. At the end of the test, there must have been no
// console messages, no violations of the policy, and only requests for which mayLoad returns true.
func Open(t *testing.T, chromium context.Context, address string, mayLoad func(url string) bool, first ...Step) *Tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(chromium)
	t.Cleanup(closeTab)
	ctx, stop := context.WithTimeout(ctx, Patience)
	t.Cleanup(stop)
	b := &Tab{T: t, Ctx: ctx, mayLoad: mayLoad}
	b.Do(Command(network.Enable, network.EnableParams{}), Command(log.Enable, cdp.Empty{}))
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	b.Do(first...)
	b.Do(chromedp.Navigate(address))
	t.Cleanup(func() {
		b.mutex.Lock()
		defer b.mutex.Unlock()
		for _, p := range b.problems {
			t.Error(p)
		}
	})
	return b
}

func (b *Tab) listen(event any) {
	problem := ""
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		problem = fmt.Sprintf("on the console: %s %v", e.Type, e.Args)
	case *runtime.EventExceptionThrown:
		problem = fmt.Sprintf("exception: %+v", e.ExceptionDetails)
	case *log.EventEntryAdded:
		problem = "in the log: " + e.Entry.Text
	case *network.EventRequestWillBeSent:
		if !b.mayLoad(e.Request.URL) {
			problem = "a request for " + e.Request.URL
		}
	}
	if problem != "" {
		b.mutex.Lock()
		b.problems = append(b.problems, problem)
		b.mutex.Unlock()
	}
}

// Do takes the steps.
func (b *Tab) Do(steps ...Step) {
	b.T.Helper()
	if err := chromedp.Do(b.Ctx, steps...); err != nil {
		b.T.Fatal(err)
	}
}

// Evaluated returns the value of a JavaScript expression.
func Evaluated[T any](b *Tab, expression string) T {
	b.T.Helper()
	value, err := chromedp.Run(b.Ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.T.Fatalf("%s: %v", expression, err)
	}
	return value
}

// Says returns the value of an expression as a string.
func (b *Tab) Says(expression string) string {
	b.T.Helper()
	return Evaluated[string](b, "String("+expression+")")
}
