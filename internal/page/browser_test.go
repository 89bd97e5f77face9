//go:build browser

package page

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"ratelab/internal/browsertest"
)

// tab is the page in a browser.
type tab struct{ *browsertest.Tab }

// open shows the page from a file, after the first steps have been taken. It may load nothing but itself.
func open(t *testing.T, chromium context.Context, in Input, hash string, first ...browsertest.Step) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "index.html")
	if err := os.WriteFile(file, []byte(rendered(t, in)), 0o644); err != nil {
		t.Fatal(err)
	}
	address := "file://" + file
	return &tab{browsertest.Open(t, chromium, address+hash, func(url string) bool {
		return url == address || strings.HasPrefix(url, "data:")
	}, first...)}
}

func evaluated[T any](b *tab, expression string) T {
	b.T.Helper()
	return browsertest.Evaluated[T](b.Tab, expression)
}

// wants waits until the expression is so: Chromium lays out a part of the page when it comes into view, and until then
// its elements have no text of their own.
func (b *tab) wants(expression, want string) {
	b.T.Helper()
	got := b.Says(expression)
	for range 100 {
		if got == want {
			return
		}
		b.Do(chromedp.Sleep(20 * time.Millisecond))
		got = b.Says(expression)
	}
	b.T.Errorf("%s\nis   %q\nwant %q", expression, got, want)
}

// press sends keys to what has the focus.
func (b *tab) press(keys ...string) {
	b.T.Helper()
	for _, k := range keys {
		b.Do(chromedp.KeyEvent(k))
	}
}

// moveTo puts the pointer at a share of an element's box.
func (b *tab) moveTo(selector string, x, y float64) {
	b.T.Helper()
	box := evaluated[[]float64](b, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "center"});
		const r = e.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()`, selector))
	b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, box[0]+x*box[2], box[1]+y*box[3]))
}

// withoutScripts switches JavaScript off before a page is opened.
func withoutScripts() browsertest.Step {
	return browsertest.Command(emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true})
}
