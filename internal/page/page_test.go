package page

import (
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"html"
	"image/color"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ratelab/algorithms"
	"ratelab/internal/chart"
	"ratelab/internal/limit"
	"ratelab/internal/result"
)

var update = flag.Bool("update", false, "rewrite testdata: read the difference before committing it")

// The whole page of the worked case; the style sheet and the script, which are files of their own, are left out.
func TestGolden(t *testing.T) {
	for name, in := range map[string]Input{"worked.html": worked(), "everything.html": everything(),
		"measured.html": measuredToo()} {
		page := rendered(t, in)
		if page != rendered(t, in) {
			t.Errorf("%s: the same input gives other bytes", name)
		}
		page = regexp.MustCompile(`(?s)<style>.*?</style>`).ReplaceAllString(page, "<style></style>")
		page = regexp.MustCompile(`(?s)<script>.*?</script>`).ReplaceAllString(page, "<script></script>")
		page = regexp.MustCompile(`sha256-[^=]*=`).ReplaceAllString(page, "sha256-…")
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v; go test -update writes it", err)
		}
		if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), page); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The policy allows exactly the style sheet and the script that are in the page, and there is no other of either.
func TestPolicyMatchesThePage(t *testing.T) {
	page := rendered(t, worked())
	policy := html.UnescapeString(regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)[1])
	for _, element := range []string{"style", "script"} {
		found := regexp.MustCompile(`(?s)<`+element+`>(.*?)</`+element+`>`).FindAllStringSubmatch(page, -1)
		if len(found) != 1 {
			t.Fatalf("%d times <%s>", len(found), element)
		}
		sum := sha256.Sum256([]byte(found[0][1]))
		if want := element + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"';"; !strings.Contains(policy, want) {
			t.Errorf("the policy is %s\nand does not have %s", policy, want)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none';") {
		t.Errorf("the policy allows more by default: %s", policy)
	}
	body := page[strings.Index(page, "<body>"):strings.Index(page, "<script>")]
	if bad := regexp.MustCompile(`(?i)\s(style|on[a-z]+)\s*=|<(img|iframe|object|embed|link|form)\b|src=`).FindString(body); bad != "" {
		t.Errorf("the page has %q, which the policy forbids", bad)
	}
}

// Whatever a name, a question, a key or a note holds, it is text.
func TestHostileTextIsText(t *testing.T) {
	const hostile = "\"><script>alert(1)</script>' onload=x &amp; {{.}} \x1b[31m \u202egpj.exe \u0085 \xff \u2066"
	in := everything()
	run := &in.Document.Runs[1]
	run.Scenario, run.Question, run.Notes = hostile, hostile, []string{hostile}
	run.ClientGroups[0], run.Server.Version, run.Clock = hostile, hostile, hostile
	run.Results[2].Algorithm, run.Results[2].Fairness.WorstKey = hostile, hostile
	run.Results[2].Parameters = map[string]string{hostile: hostile, "burst": hostile}
	in.Charts[1].Algorithms[2].Label = hostile
	missed := false
	run.Expectations = []result.Expectation{{Algorithm: hostile, Measure: hostile, Want: hostile, Met: &missed}}
	in.Command, in.Document.Tool.Version = hostile, hostile
	in.Bench = measuredToo().Bench
	in.Bench.Latency[2].Algorithm, in.Bench.Runs[0].Results[2].Algorithm = hostile, hostile
	in.Bench.Server.Version, in.Bench.Machine.CPU = hostile, hostile
	in.Algorithms = append(in.Algorithms,
		algorithms.Algorithm{Name: hostile, Family: hostile, State: hostile, Rule: hostile, Bound: hostile,
			Sources: []string{hostile, "https://" + hostile, "javascript:alert(1)"}})
	page := rendered(t, in)
	if n := strings.Count(page, "<script>"); n != 1 {
		t.Errorf("%d scripts", n)
	}
	if strings.Contains(page, `href="javascript:`) || strings.Contains(page, "\" onload") {
		t.Error("markup got through")
	}
	for _, bad := range []string{"\x1b", "\u202e", "\u0085", "\u2066", "\xff"} {
		if strings.Contains(page, bad) {
			t.Errorf("%q got through", bad)
		}
	}
	for _, good := range []string{`\u202egpj.exe`, `\u2066`, "&lt;script&gt;"} {
		if !strings.Contains(page, good) && !strings.Contains(html.UnescapeString(page), good) {
			t.Errorf("%q cannot be seen", good)
		}
	}
}

// A page of everything that is built in, and more, can be sent by mail.
func TestSizeOfALargePage(t *testing.T) {
	if size := len(rendered(t, large())); size > 4<<20 {
		t.Errorf("%d bytes; want no more than 4 MiB", size)
	}
}

// Where all keys are served alike none is named as the worst, which would be the first of the alphabet.
func TestTheWorstKeyIsAFinding(t *testing.T) {
	in := everything()
	const heading = ">worst-served key<"
	if !strings.Contains(rendered(t, in), heading) {
		t.Error("a key that is served worst is not named")
	}
	for i := range in.Document.Runs[1].Results {
		f := in.Document.Runs[1].Results[i].Fairness
		f.WorstServed = f.BestServed
	}
	if strings.Contains(rendered(t, in), heading) {
		t.Error("a key is named though all are served alike")
	}
}

// The line of a bucket's contract is called what it is.
func TestLimitAndBurst(t *testing.T) {
	in := worked()
	in.Document.Runs[0].Limit.Contract = limit.ByBucket
	page := rendered(t, in)
	if want := `limit + burst <span class="v allowed">8</span>`; !strings.Contains(html.UnescapeString(page), want) {
		t.Errorf("no %q", want)
	}
	if strings.Contains(page, `the limit <span class="v allowed">`) {
		t.Error("something is called the limit that is not")
	}
}

func TestInputThatCannotBe(t *testing.T) {
	in := worked()
	in.Charts = append(in.Charts, in.Charts[0])
	if err := Write(&strings.Builder{}, in); err == nil || err.Error() != "web page: 2 charts for 1 runs" {
		t.Errorf("%v", err)
	}
	if err := Write(&strings.Builder{}, Input{}); err == nil {
		t.Error("a page of nothing")
	}
	if err := Write(&strings.Builder{}, Input{Document: &result.Document{}}); err != nil {
		t.Errorf("a page without runs: %v", err)
	}
}

// A fault has a chart of its traffic, with the script, a right limiter and the limit.
func TestFaultsHaveCharts(t *testing.T) {
	in := worked()
	yes, no := limit.Decision{Verdict: limit.Allowed}, limit.Decision{Verdict: limit.Rejected}
	in.Document.Examinations = []result.Examination{{Algorithm: "mine", Findings: []result.Finding{
		{Fault: true, Name: "never expires"},
		{Fault: true, Name: "off by one", Limit: result.Limit{Requests: 1, WindowUS: 1_000_000, Burst: 1},
			Counterexample: &result.Counterexample{Rule: "a sliding window by a log",
				Requests: []limit.Request{{Key: "k0", Cost: 1}, {AtUS: 1, Key: "k0", Cost: 1}},
				Script:   []limit.Decision{yes, yes}, Right: []limit.Decision{yes, no}}}}}}
	shown := newPage(in).Shown
	if len(shown) != 1 || !strings.HasPrefix(shown[0].Caption, "mine: off by one. Admitted in the last second") {
		t.Fatalf("charts %+v", shown)
	}
	c := shown[0].Curves
	if len(c) != 2 || c[0].Shown.Text != "mine" || c[0].Top != 2 || c[1].Top != 1 || shown[0].Allowed != "1" {
		t.Errorf("curves %+v", c)
	}
}

// Lines and text stand out enough from the paper, in light and in dark.
func TestContrast(t *testing.T) {
	for _, name := range []string{"none", "gcra", "sliding-window-counter", "fixed-window-aligned",
		result.ReferenceLabel, "my.lua"} {
		c := chart.Color(name)
		if contrast(distinct(c), chart.Paper) < leastContrast ||
			contrast(chart.OnDark(c), chart.OnDark(chart.Paper)) < leastContrast {
			t.Errorf("%s does not stand out", name)
		}
	}
	light, dark := map[string]string{}, map[string]string{}
	for _, v := range regexp.MustCompile(`--(\w+): light-dark\((#\w{6}), (#\w{6})\)`).FindAllStringSubmatch(Palette,
		-1) {
		light[v[1]], dark[v[1]] = v[2], v[3]
	}
	if light["paper"] != hex(chart.Paper) || dark["paper"] != hex(chart.OnDark(chart.Paper)) {
		t.Fatalf("the paper of page.css is %s and %s", light["paper"], dark["paper"])
	}
	for _, mode := range []map[string]string{light, dark} {
		for _, ground := range []string{"paper", "panel", "faint"} {
			for _, text := range []string{"ink", "quiet", "link", "over"} {
				if c := contrast(parsed(t, mode[text]), parsed(t, mode[ground])); c < 4.5 {
					t.Errorf("%s on %s: %.2f; want 4.5", text, ground, c)
				}
			}
		}
		for _, shade := range []string{"shade1", "shade2", "shade3", "shade4", "lack1", "lack2", "lack3", "lack4"} {
			if c := contrast(parsed(t, mode["ink"]), parsed(t, mode[shade])); c < 4.5 {
				t.Errorf("ink on %s: %.2f; want 4.5", shade, c)
			}
		}
	}
}

func parsed(t *testing.T, text string) color.NRGBA {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "#"), 16, 32)
	if err != nil || len(text) != 7 {
		t.Fatalf("no colour: %q", text)
	}
	return color.NRGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 0xff}
}
