package architecture

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ratelab/internal/longtest"

	"golang.org/x/tools/txtar"
)

// Adding an algorithm or a log format adds files and edits none. Every command knows the algorithm, its colour, and its
// capacity under whatever name. The laws of the other algorithms hold for it, and some traffic nearly reaches its
// bound. The format is guessed, and listed.
func TestAddingEditsNoLine(t *testing.T) {
	longtest.Skip(t, "compiles both programs again")
	tree(t) // reads every file of ours, so that go test knows when its cached answer is stale
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	absolute, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	added, err := txtar.ParseFile("testdata/added.txtar")
	if err != nil {
		t.Fatal(err)
	}
	gcra := contents(t, filepath.Join(root, "lua", "gcra.lua"))
	for _, f := range append(added.Files, txtar.File{Name: "lua/pocket-bucket.lua", Data: gcra}) {
		file := filepath.Join(dir, filepath.Base(f.Name))
		save(t, file, f.Data)
		overlay.Replace[filepath.Join(absolute, filepath.FromSlash(f.Name))] = file
	}
	plan, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	save(t, filepath.Join(dir, "overlay.json"), plan)
	s := stranger{t, dir}
	t.Setenv(longtest.Variable, "") // the built-in algorithms' laws have their long tests
	s.run("go", "test", "-C", absolute, "-vet=off", "-overlay", filepath.Join(dir, "overlay.json"), "./algorithms",
		"./internal/examine", "-run", "^Test("+laws+")/^(pocket-bucket|two-speeds)$")
	s.run("go", "build", "-C", absolute, "-overlay", filepath.Join(dir, "overlay.json"), "-o", dir+"/",
		"./cmd/simulate", "./cmd/bench")

	s.wants(s.run("./simulate", "list", "pocket-bucket"), "pocket-bucket (bucket)", ":depth=INTEGER")
	rows := "gcra,gcra:burst=50,pocket-bucket,pocket-bucket:depth=50,pocket-bucket:whose=ours"
	table := s.run("./simulate", "extreme-case-1", "-a", rows, "--out", "out", "--charts", "svg", "--format", "csv")
	s.sameRows(table, "gcra", "pocket-bucket")
	s.sameRows(table, "gcra:burst=50", "pocket-bucket:depth=50")
	s.sameColour()
	matrix := s.run("./simulate", "poisson", "ramp", "on-off", "steady-over", "steady-under", "ten-times-over", "-a",
		"gcra,pocket-bucket", "--redis", "model", "--charts", "none")
	s.wants(matrix, "gcra pocket\n", " 1+1 bucket\n")
	s.wants(s.run("./simulate", "recommend", "--limit", "100/1m", "--contract", "bucket"), "Take gcra:")
	s.wants(s.run("./simulate", "examine", "pocket-bucket", "--limit", "10/1s"),
		"a bucket that refills steadily. 0 faults")

	save(t, filepath.Join(dir, "pocket.log"), []byte("<2024-05-17T10:05:00Z> 192.0.2.1 asks for /a\n"))
	s.wants(s.run("./simulate", "limits", "--trace", "pocket.log", "--trace-key", "client+path", "--format", "json"),
		"192.0.2.1|/a", "the format was guessed to be pocket")
	s.wants(s.run("./simulate", "__complete", "limits", "--trace-format", ""), "squid\npocket\n")

	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("REQUIRE_REDIS") == "1" {
			t.Fatal("no redis-server on PATH, and REQUIRE_REDIS=1")
		}
		t.Skip("no redis-server on PATH; bench is not tried")
	}
	s.run("./bench", "run", "extreme-case-1", "-a", "none,pocket-bucket:depth=50", "--redis", "process", "--rounds",
		"1", "--for", "1s", "--warm-up", "50ms", "--out", "measured")
	s.wants(s.run("./bench", "show", "measured", "--format", "csv"), "pocket-bucket:depth=50")
	s.run("./bench", "plot", "measured", "--charts", "svg", "--out", "plots")
}

// laws are the tests of all algorithms, but for those that read their files.
const laws = "DeletingRejected.*|Shifting.*|Interleaved.*|RetryAfterIsTight|RemainingIsTrue|TheFullBurst.*|" +
	"AClockThat.*|ACoarseClock.*|AChangeOf.*|NoStory.*|ABoundGrows.*|TrafficNearly.*|TheBuiltInOnes"

// stranger runs commands in a folder of its own.
type stranger struct {
	*testing.T
	dir string
}

// run is what a command prints. That a machine is not quiet enough, code 4, is not this test's affair.
func (s stranger) run(name string, args ...string) string {
	s.Helper()
	command := exec.CommandContext(s.Context(), name, args...)
	command.Dir = s.dir
	var out, errors bytes.Buffer
	command.Stdout, command.Stderr = &out, &errors
	err := command.Run()
	if err != nil && command.ProcessState.ExitCode() != 4 {
		s.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out.String(), errors.String())
	}
	return out.String()
}

func (s stranger) wants(text string, wants ...string) {
	s.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			s.Errorf("no %q in\n%s", want, text)
		}
	}
}

// sameRows wants two rows to decide alike.
func (s stranger) sameRows(csv, a, b string) {
	s.Helper()
	decisions := func(label string) string {
		line := regexp.MustCompile(`(?m)^extreme-case-1,` + regexp.QuoteMeta(label) + `,.*$`).FindString(csv)
		return regexp.MustCompile(`\b[0-9a-f]{32}\b`).FindString(line)
	}
	if decisions(a) == "" || decisions(a) != decisions(b) {
		s.Errorf("%s: %q and %s: %q", a, decisions(a), b, decisions(b))
	}
}

// sameColour wants a colour of undeclared algorithms in the chart and the same on the page, and the capacity in the
// page's table.
func (s stranger) sameColour() {
	s.Helper()
	chart := string(contents(s.T, filepath.Join(s.dir, "out", "extreme-case-1.window.svg")))
	page := string(contents(s.T, filepath.Join(s.dir, "out", "index.html")))
	colour := regexp.MustCompile("#dd1155|#0000f8|#551100|#4068f8").FindString(strings.ToLower(chart))
	if colour == "" {
		s.Error("the chart has no such colour")
	}
	s.wants(strings.ToLower(page), "light-dark("+colour)
	if !regexp.MustCompile(`<small>= pocket-bucket:depth=50</small></th>.*<td>50<small>50</small></td>`).MatchString(page) {
		s.Error("the page does not show the capacity")
	}
}

func contents(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func save(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
