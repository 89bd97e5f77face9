package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ratelab/internal/examine"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
	"ratelab/redisclock"
)

var update = flag.Bool("update", false, "write results/libraries anew")

// results is where the results lie.
const results = "../results/libraries/"

// documented is what a library does while Redis is away, and where that stands: in the README if it says so, and in the
// source otherwise.
var documented = map[string]string{
	"redis_rate":            "returns the error (rate.go, AllowN)",
	"throttled":             "returns the error (rate.go, RateLimitCtx)",
	"ulule":                 "returns the error (drivers/store/redis/store.go)",
	"mennanov-token":        "returns the error (tokenbucket.go, State)",
	"mennanov-token-readme": "returns the error (tokenbucket.go, State)",
	"mennanov-fixed":        "returns the error, unless it has rejected in this window (fixedwindow.go, Limit)",
	"mennanov-sliding":      "returns the error (slidingwindow.go, Limit)",
	"httprate-redis": "counts in the process until Redis answers again, unless FallbackDisabled is set " +
		"(config.go)",
	"go-redisstore":  "returns the error, and \"any errors … fail the take\" (store.go, Take)",
	"go-zero-period": "returns the error (core/limit/periodlimit.go, TakeCtx)",
	"go-zero-token":  "goes on with a limiter in each process, and logs it (core/limit/tokenlimit.go, reserveN)",
	"gin-rate-limit": "admits, or panics where PanicOnErr is set (redis.go, Limit)",
	"envoy-ratelimit": "answers with an error, with which Envoy admits unless failure_mode_deny is set (its " +
		"docs)",
}

// limitOf is the limit at which a library was examined.
func limitOf(l *library) limit.Policy {
	if _, err := l.under(examine.Standard); err != nil {
		return limit.Policy{Requests: 100, Window: time.Second}
	}
	return examine.Standard
}

// asked is what a fresh row of the library admits of requests, each by itself.
func asked(t *testing.T, l *library, all ...limit.Request) (admitted []bool) {
	t.Helper()
	row := openedOn(t, l, limitOf(l))
	got := make([]limit.Decision, len(all))
	if err := row.Decide(t.Context(), all, got); err != nil {
		t.Fatalf("%s: %v", l.name, err)
	}
	for _, d := range got {
		admitted = append(admitted, d.Allowed())
	}
	return admitted
}

// atOnce is so many requests at once.
func atOnce(n int) (all []limit.Request) {
	for i := range n {
		all = append(all, limit.Request{AtUS: int64(i), Key: "k", Cost: 1})
	}
	return all
}

// clockOf says whose clock brings back what was used.
func clockOf(t *testing.T, l *library) string {
	t.Helper()
	p := limitOf(l)
	used := atOnce(2 * int(p.Requests))
	later := limit.Request{AtUS: 1000, Key: "k", Cost: 1, ServerSkewUS: 2 * p.WindowUS()}
	byRedis := asked(t, l, append(used, later)...)[len(used)]
	later.ServerSkewUS, later.ClientSkewUS = 0, later.ServerSkewUS
	byProcess := asked(t, l, append(used, later)...)[len(used)]
	switch {
	case byRedis && byProcess:
		return "process; TTL by Redis" // the one is enough, and the other deletes the key
	case byRedis:
		return "Redis"
	case byProcess:
		return "process"
	}
	return "both"
}

// away is what the library was seen to do when its Redis had ended.
func away(t *testing.T, l *library) string {
	t.Helper()
	one, err := redis.Start(t.Context(), redis.KindProcess)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	lib, err := l.under(limitOf(l))
	if err != nil {
		t.Fatal(err)
	}
	p, err := begin(lib, one, redisclock.New(scenario.DefaultStart), scenario.DefaultStart)
	if err != nil {
		t.Fatal(err)
	}
	q := limit.Request{Key: "k", Cost: 1}
	if _, err = p.ask(t.Context(), q, scenario.DefaultStart); err != nil {
		t.Fatal(err)
	}
	one.Close()
	d, err := p.ask(t.Context(), q, scenario.DefaultStart.Add(time.Second))
	switch {
	case err != nil && !strings.Contains(err.Error(), "for a decision, while"): // it tries again, and then decides
		return "an error"
	case d.Allowed():
		return "admits"
	}
	return "rejects"
}

// guarantees are what the kinds of limiters let through at most, as a multiple of the limit in a window.
var guarantees = map[string]string{
	"a bucket that refills steadily":                  "<2",
	"a bucket that is refilled once a window":         "2",
	"a fixed window that begins at the first request": "<2",
	"a fixed window aligned to the clock":             "2",
	"a sliding window by a log":                       "1",
	"a sliding window, weighted from two counters":    "<2",
}

// The page says what the documents beside it say, and what is seen now. -update writes it, and a scenario for each
// finding.
func TestThePage(t *testing.T) {
	if testing.Short() || len(libraries) < 3 {
		t.Skip("needs all libraries, and half a minute")
	}
	redistest.Private(t)
	doc, err := result.Read(results+"result.json", result.OfSimulate)
	if err != nil {
		t.Fatal(err)
	}
	files := pageOf(t, doc, examination(t, "examined.json"), examination(t, "scripts.json"))
	if *update {
		old, _ := filepath.Glob(results + "*.yaml")
		for _, name := range old {
			os.Remove(name)
		}
	}
	for name, text := range files {
		if *update {
			if err := os.WriteFile(results+name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if got, err := os.ReadFile(results + name); err != nil || string(got) != text {
			t.Errorf("%s%s is not what was seen (%v); make libraries writes it", results, name, err)
		}
	}
}

// examination is a document of examinations.
func examination(t *testing.T, name string) *result.Document {
	doc := new(result.Document)
	text, err := os.ReadFile(results + name)
	if err == nil {
		err = json.Unmarshal(text, doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// page collects what the page shows.
type page struct {
	figures, found, gone strings.Builder
	files                map[string]string
}

// findings adds the faults of an examination, and names them. command is what shows one.
func (p *page) findings(e result.Examination, label, name string, command func(limit.Policy, string) string) string {
	var names []string
	for _, f := range e.Findings[:e.Faults()] {
		names = append(names, f.Name)
		at, more := f.Limit.Policy(), ""
		if at.Capacity() != at.Requests {
			more = fmt.Sprintf("%d", at.Capacity())
		}
		file, shown := name+"."+strings.ReplaceAll(f.Kind, "_", "-")+".yaml", "-"
		if f.Requests > 0 {
			e.Algorithm = name
			p.files[file] = string(examine.Scenario(&e, &f))
			shown = fmt.Sprintf("[%s](%s)", message.Count(f.Requests, "request"), file)
		}
		fmt.Fprintf(&p.found, "| %s | %s: %s | `%s` | %s |\n", label, f.Name, f.Text, command(at, more), shown)
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

// pageOf is the page, and the scenarios that it names.
func pageOf(t *testing.T, doc, examined, scripts *result.Document) map[string]string {
	p := page{files: map[string]string{}}
	for _, l := range slices.SortedFunc(slices.Values(libraries), func(a, b *library) int {
		return cmp.Compare(a.name, b.name)
	}) {
		i := slices.IndexFunc(examined.Examinations, func(e result.Examination) bool {
			return e.Algorithm == l.label()
		})
		if i < 0 {
			t.Fatalf("%s has not been examined", l.label())
		}
		e, n := examined.Examinations[i], limitOf(l).Requests
		faults := p.findings(e, l.label(), l.name, func(at limit.Policy, burst string) string {
			if burst != "" {
				burst = " -burst " + burst
			}
			return fmt.Sprintf("-examine -limit %d/%s%s %s", at.Requests, limit.FormatDuration(at.Window), burst,
				l.name)
		})
		once := 0
		for _, admitted := range asked(t, l, atOnce(2*int(n))...) {
			if admitted {
				once++
			}
		}
		fmt.Fprintf(&p.figures, "| %s | %s | %s | %s | %d | %.2f | %s | %s | %s |\n", l.label(), l.rule,
			cmp.Or(guarantees[e.Family], "-"), clockOf(t, l), once, float64(e.Worst)/float64(n),
			lost(doc, "steady-over", l), trips(doc, l), faults)
		fmt.Fprintf(&p.gone, "| %s | %s | %s |\n", l.label(), away(t, l), documented[l.name])
	}
	for _, e := range scripts.Examinations {
		text, _ := os.ReadFile("scripts/" + e.Algorithm + ".yaml")
		_, project, _ := strings.Cut(string(text), "project: ")
		project, _, _ = strings.Cut(project, "\n")
		label := fmt.Sprintf("%s, script of %s", e.Algorithm, project)
		faults := p.findings(e, label, e.Algorithm, func(at limit.Policy, burst string) string {
			if burst != "" {
				burst = " --burst " + burst
			}
			return fmt.Sprintf("simulate examine %s.lua --limit %d/%s%s", e.Algorithm, at.Requests,
				limit.FormatDuration(at.Window), burst)
		})
		fmt.Fprintf(&p.figures, "| %s | %s | %s | - | - | %.2f | - | 1.0 | %s |\n", label, cmp.Or(e.Family, "-"),
			cmp.Or(guarantees[e.Family], "-"), float64(e.Worst)/float64(e.Limit.Requests), faults)
	}
	text, err := os.ReadFile("testdata/page.md")
	if err != nil {
		t.Fatal(err)
	}
	server := doc.Runs[0].Server
	p.files["README.md"] = strings.NewReplacer("{figures}\n", p.figures.String(), "{found}\n", p.found.String(),
		"{gone}\n", p.gone.String(), "{server}", server.Name+" "+server.Version).Replace(string(text))
	return p.files
}

// lost is what a library admits less than an exact limiter in a scenario, or a dash.
func lost(doc *result.Document, name string, l *library) string {
	for i := range doc.Runs {
		if row := doc.Runs[i].Find(l.label()); doc.Runs[i].Scenario == name && row != nil {
			return fmt.Sprintf("%.0f %%", 100*row.Lost)
		}
	}
	return "-"
}

// trips is the range of a library's round trips.
func trips(doc *result.Document, l *library) string {
	low, high := 99.0, 0.0
	for i := range doc.Runs {
		if row := doc.Runs[i].Find(l.label()); row != nil && row.RoundTrips != nil {
			low, high = min(low, *row.RoundTrips), max(high, *row.RoundTrips)
		}
	}
	if fmt.Sprintf("%.1f", low) == fmt.Sprintf("%.1f", high) {
		return fmt.Sprintf("%.1f", low)
	}
	return fmt.Sprintf("%.1f to %.1f", low, high)
}
