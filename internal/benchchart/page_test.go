package benchchart

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"ratelab/internal/benchresult"
	"ratelab/internal/chart"
)

// drawn are the pictures of each situation, drawn once.
var drawn = sync.OnceValue(func() map[string][]chart.Picture {
	all := map[string][]chart.Picture{}
	for _, s := range situations() {
		all[s.name], _ = draw(newScene(s.in))
	}
	return all
})

// No text meets another or leaves the page, in any situation.
func TestTextsKeepApart(t *testing.T) {
	for name, pictures := range drawn() {
		for _, p := range pictures {
			for _, fault := range p.Faults() {
				t.Errorf("%s: %s: %s", name, p.Name, fault)
			}
		}
	}
}

// Each SVG is of a size that a page can carry, and asks for no font that a reader may lack.
func TestSVGIsPortable(t *testing.T) {
	for name, pictures := range drawn() {
		for _, p := range pictures {
			svg := p.Encode("svg")
			if len(svg) > 150_000 {
				t.Errorf("%s: %s takes %d bytes, want 150,000 at most", name, p.Name, len(svg))
			}
			if !bytes.Contains(svg, []byte(`sans-serif"`)) || bytes.Contains(svg, []byte("font-family:")) ||
				bytes.Contains(svg, []byte("NaN")) {
				t.Errorf("%s: %s asks for a font, or has no number", name, p.Name)
			}
			if bytes.Contains(svg, []byte("<odd>")) {
				t.Errorf("%s: %s: a label's markup reached the SVG", name, p.Name)
			}
		}
	}
}

// words are the texts of the picture of that name.
func words(t *testing.T, in []*benchresult.Document, name string) string {
	t.Helper()
	pictures, _ := draw(newScene(in))
	for _, p := range pictures {
		if p.Name == name {
			return join(p.Texts())
		}
	}
	t.Fatalf("no picture %s", name)
	return ""
}

func join(texts []chart.Text) string {
	var all []string
	for _, text := range texts {
		all = append(all, text.Text)
	}
	return strings.Join(all, "\n")
}

// Each page says what made it, and each of a scenario which.
func TestPagesSayWhatTheyShow(t *testing.T) {
	pictures, _ := draw(newScene([]*benchresult.Document{small()}))
	for _, p := range pictures {
		text := join(p.Texts())
		for _, want := range []string{"redis-server 7.0.15 (process, unix)", "Example CPU, 2 cores", "seed 7",
			"ratelab v1.0.0", "2024-03-01"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q", p.Name, want)
			}
		}
		if strings.HasPrefix(p.Name, "tiny.") &&
			(!strings.Contains(text, "imit 4 per second") || !strings.Contains(text, "4 connections")) {
			t.Errorf("%s does not say its limit and connections", p.Name)
		}
	}
}

func TestInvalidAndPartialRunsSaySo(t *testing.T) {
	r := small()
	r.Partial = true
	r.Validity = benchresult.Validity{Reasons: []benchresult.Reason{{Code: "stall"}, {Code: "lag"}, {Code: "stall"}}}
	pictures, _ := draw(newScene([]*benchresult.Document{r}))
	for _, p := range pictures {
		if want := "INVALID: the generator was not fit to measure (stall, lag). PARTIAL: interrupted before " +
			"its end. "; !strings.HasPrefix(p.Subtitle, want) {
			t.Errorf("%s: subtitle %q, want it to begin with %q", p.Name, p.Subtitle, want)
		}
	}
}

// The figures can be read off the picture of the cost, the cheapest first, whatever the order of the document.
func TestServerCostShowsItsFigures(t *testing.T) {
	r := small()
	r.Costs[1], r.Costs[2] = r.Costs[2], r.Costs[1]
	text := words(t, []*benchresult.Document{r}, "server-cost")
	for _, want := range []string{"4.00 µs", "6.00 µs", "8.00 µs", "1.50 ×", "2.00 ×", "differs by up to 5.0 %",
		"the control none 4.00 µs"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Index(text, "gcra") > strings.Index(text, "sliding-window-log") {
		t.Error("the dearer algorithm stands first")
	}
}

// Several results are told apart by their servers, on every picture that holds them.
func TestSeveralRecordingsAreNamed(t *testing.T) {
	in := []*benchresult.Document{small(), small()}
	in[1].Server.Name, in[1].Server.Version = "valkey-server", "8.1.0"
	for _, name := range []string{"server-cost", "throughput", "memory"} {
		text := words(t, in, name)
		for _, want := range []string{"redis-server 7.0.15", "valkey-server 8.1.0"} {
			if !strings.Contains("\n"+text+"\n", "\n"+want+"\n") {
				t.Errorf("%s: no key %q", name, want)
			}
		}
	}
}

func TestNamesTellApart(t *testing.T) {
	a, b := small(), small()
	check := func(why string, want ...string) {
		t.Helper()
		if got := namesOf([]*benchresult.Document{a, b}); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: %q, want %q", why, got, want)
		}
	}
	check("all the same", "redis-server 7.0.15 (process, unix), result 1",
		"redis-server 7.0.15 (process, unix), result 2")
	b.Started = b.Started.AddDate(0, 0, 1)
	check("another day", "redis-server 7.0.15 (process, unix), 2024-03-01 12:00:00",
		"redis-server 7.0.15 (process, unix), 2024-03-02 12:00:00")
	b.Server.Transport = "tcp"
	check("another transport", "redis-server 7.0.15 (process, unix)", "redis-server 7.0.15 (process, tcp)")
	b.Server.Version = "7.2.0"
	check("another version", "redis-server 7.0.15", "redis-server 7.2.0")
}
