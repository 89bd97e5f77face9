package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/cli/clitest"
	"ratelab/internal/limit"
	"ratelab/internal/longtest"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
)

var rewrite = flag.Bool("rewrite", false,
	"write the outputs on the pages anew: read the difference before committing it")

// Every output on a page is what its command prints. No server is on PATH, so that pages are the same on all machines.
func TestDocsOutputs(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	clitest.Outputs(t, "simulate", *rewrite, program)
}

// Every command line on a page has flags and arguments that there are.
func TestDocsCalls(t *testing.T) {
	clitest.Calls(t, "simulate", func() *cobra.Command { return newRoot(cli.Streams{}) })
}

// Every yaml example on a page is good for what the page says. A file with a name of its own is a scenario, or the
// binding of the script beside it. Anything else is a part of one, told by its first field.
func TestDocsExamples(t *testing.T) {
	pages, folder := clitest.Pages(t), t.TempDir()
	clitest.SaveFiles(t, pages, folder)
	saveRedisRate(t, folder)
	for _, page := range pages {
		for _, block := range page.Blocks("yaml") {
			check := checkPart
			if block.File() != "" {
				check = checkFile
			}
			if problem := check(t, folder, block); problem != "" {
				t.Errorf("%s:%d: %s", page.Name, block.Line, problem)
			}
		}
	}
}

// saveRedisRate writes the Lua of redis_rate, which is in a Go file, as the README says.
func saveRedisRate(t *testing.T, folder string) {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/go-redis/redis_rate/v10").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "lua.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(source), "var allowN = redis.NewScript(`\n")
	text, _, found := strings.Cut(rest, "`)")
	if !found {
		t.Fatal("redis_rate has no allowN; tell the README")
	}
	if err := os.WriteFile(filepath.Join(folder, "redis_rate.lua"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// redis_rate's script, bound as in the README, decides as gcra.
func TestRedisRateDecidesAsGCRA(t *testing.T) {
	folder := t.TempDir()
	clitest.SaveFiles(t, clitest.Pages(t), folder)
	saveRedisRate(t, folder)
	var stdout, stderr bytes.Buffer
	code := program(t.Context(), []string{"extreme-case-1", "-a", "gcra", "--script",
		filepath.Join(folder, "redis_rate.lua"),
		"--redis", "embedded", "--charts", "none", "--out", t.TempDir()}, cli.Streams{Stdout: &stdout, Stderr: &stderr})
	if code != cli.ExitOK || !strings.Contains(stdout.String(), "redis_rate decides as gcra.") {
		t.Errorf("exit code %d\n%s%s", code, &stdout, &stderr)
	}
}

// examplePolicy is a limit for bindings.
var examplePolicy = limit.Policy{Requests: 100, Window: 60e9, Burst: 100}

// checkFile says what is wrong with a whole file: a binding must fit its script, a scenario must be read. If all tests
// are requested, the scenario must also run and meet what it expects, with the pages' scripts that it expects.
func checkFile(t *testing.T, folder string, block clitest.Block) string {
	file := filepath.Join(folder, block.File())
	lua := strings.TrimSuffix(file, ".yaml") + ".lua"
	if _, err := os.Stat(lua); err == nil {
		return problem(script.Load(script.OnDisk(lua), examplePolicy))
	}
	s, err := scenario.Load(file)
	if err != nil || !longtest.All() {
		return problem(s, err)
	}
	args := []string{file, "--redis", "embedded", "--charts", "none", "--out", t.TempDir()}
	for _, lua := range expectedScript.FindAllStringSubmatch(block.Text, -1) {
		lua := filepath.Join(folder, lua[1]+".lua")
		if _, err := os.Stat(lua); err == nil {
			args = append(args, "--script", lua)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := program(t.Context(), args, cli.Streams{Stdout: &stdout, Stderr: &stderr}); code != cli.ExitOK {
		return stderr.String()
	}
	if strings.Contains(block.Text, "\nexpect:") && !allMet.MatchString(stdout.String()) {
		return "its expectations were not checked, or not all of them:\n" + stdout.String()
	}
	return ""
}

// expectedScript matches the name of an algorithm or a script in an expectation.
var expectedScript = regexp.MustCompile(`\{algorithm: ([\w-]+)`)

// allMet begins the line of a run in which all expectations were checked and met.
var allMet = regexp.MustCompile(`(?m)^[0-9]+ of [0-9]+ expectations? met\.`)

// sceneHead makes a scenario of a part; phasesOf adds what a part without phases lacks.
const (
	sceneHead = "name: part\nquestion: Who gets through?\nlimit: {requests: 10, per: 1s}\n"
	phasesOf  = "phases:\n  - {name: all, duration: 30s, constant: 100}\n"
)

// parts say how a part of a file, told by its first field, is made whole and read.
var parts = map[string]func(folder, text string) string{
	"phases":  func(_, text string) string { return problem(scenario.Parse("part.yaml", []byte(sceneHead+text))) },
	"clients": besidePhases,
	"rows":    besidePhases,
	"keys":    besidePhases,
	"managed": besidePhases,
	"name":    bindingPart, "not_configured": bindingPart, "ends": bindingPart,
}

// besidePhases reads a field of a scenario that leaves out the phases.
func besidePhases(_, text string) string {
	return problem(scenario.Parse("part.yaml", []byte(sceneHead+phasesOf+text)))
}

func checkPart(_ *testing.T, folder string, block clitest.Block) string {
	field, _, _ := strings.Cut(block.Text, ":")
	check := parts[field]
	if check == nil {
		return "nothing checks a yaml block that begins with " + field +
			"; name its file in a comment on its first line, " +
			"or say in parts what it is part of"
	}
	return check(folder, block.Text)
}

// bindingPart reads the optional fields of a binding beside the others.
func bindingPart(folder, text string) string {
	for name, content := range map[string]string{
		"part.lua":  "return {1, 2, 3}",
		"setup.lua": "return 1",
		"part.yaml": "keys: [\"rl:{key}\"]\nargs: [\"{limit}\", \"{window_s}\"]\nadmitted: [1]\n" + text,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			return err.Error()
		}
	}
	return problem(script.Load(script.OnDisk(filepath.Join(folder, "part.lua")), examplePolicy))
}

// problem is what a reader says against what it read.
func problem[T any](_ T, err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
