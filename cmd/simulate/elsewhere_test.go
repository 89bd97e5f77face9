package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"ratelab/internal/longtest"
)

// Another repository, as docs/ci.md has one made: its files are those of the page, and its gates are the steps of
// action.yml, run by bash.

// repository is a fresh one, with one commit.
type repository struct {
	*testing.T
	dir, temp string
	steps     []step
	inputs    map[string]struct{ Default string }
}

// step is one of the action.
type step struct {
	Name, Run string
	Env       map[string]string
}

// root is the project's folder.
func projectRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// named is a block of code on the page whose first line says in which file of the folder limits it is.
var named = regexp.MustCompile("(?ms)^```[a-z]+\n(?:--|#) ((?:limiter|edge)\\.[a-z]+)\n(.*?)^```$")

func newRepository(t *testing.T) *repository {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the steps are bash")
	}
	for _, program := range []string{"bash", "git", "go"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s on PATH", program)
		}
	}
	r := &repository{T: t, dir: t.TempDir(), temp: t.TempDir()}
	page, err := os.ReadFile(filepath.Join(projectRoot(t), "docs", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range named.FindAllStringSubmatch(string(page), -1) {
		r.write("limits/"+block[1], block[2])
	}
	text, err := os.ReadFile(filepath.Join(projectRoot(t), "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Runs   struct{ Steps []step }
		Inputs map[string]struct{ Default string }
	}
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	r.steps, r.inputs = action.Runs.Steps, action.Inputs
	r.bash("git init -q . && git config user.email nobody@example.org && git config user.name nobody")
	return r
}

func (r *repository) write(name, text string) {
	r.Helper()
	file := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
}

func (r *repository) read(name string) string {
	r.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(name)))
	if err != nil {
		r.Fatal(err)
	}
	return string(text)
}

// bash runs commands that must succeed.
func (r *repository) bash(commands string) string {
	r.Helper()
	out, code := r.run(commands, nil)
	if code != 0 {
		r.Fatalf("%s: exit code %d\n%s", commands, code, out)
	}
	return strings.TrimSpace(out)
}

func (r *repository) run(commands string, env []string) (out string, code int) {
	r.Helper()
	c := exec.CommandContext(r.Context(), "bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", commands)
	c.Dir, c.Env = r.dir, append(os.Environ(), env...)
	text, err := c.CombinedOutput()
	if c.ProcessState == nil {
		r.Fatal(err)
	}
	return string(text), c.ProcessState.ExitCode()
}

// acted is what a run of the action leaves.
type acted struct {
	out, summary string
	outputs      map[string]string
	code         int
}

// act runs the steps of the action that have commands, until one fails, with the variables that GitHub sets. labels are
// those of a pull request; nil: there is no pull request.
func (r *repository) act(inputs map[string]string, labels []string) acted {
	r.Helper()
	event := map[string]any{}
	number, names := "", "null"
	if labels != nil {
		all := []map[string]string{}
		for _, name := range labels {
			all = append(all, map[string]string{"name": name})
		}
		event["pull_request"] = map[string]any{"number": 7, "labels": all}
		text, _ := json.MarshalIndent(labels, "", "  ") // as toJSON does
		number, names = "7", string(text)
	}
	text, _ := json.Marshal(event)
	if err := os.WriteFile(filepath.Join(r.temp, "event.json"), text, 0o644); err != nil {
		r.Fatal(err)
	}
	values := []string{"${{ github.action_path }}", projectRoot(r.T), "${{ github.action_ref }}", "v1",
		"${{ github.event.pull_request.number }}", number,
		"${{ toJSON(github.event.pull_request.labels.*.name) }}", names}
	for input, of := range r.inputs {
		value, given := inputs[input]
		if !given {
			value = of.Default
		}
		values = append(values, "${{ inputs."+input+" }}", value)
	}
	fill := strings.NewReplacer(values...)
	a := acted{outputs: map[string]string{}}
	files := map[string]string{"GITHUB_STEP_SUMMARY": "summary.md", "GITHUB_OUTPUT": "output"}
	for _, name := range files {
		if err := os.RemoveAll(filepath.Join(r.temp, name)); err != nil {
			r.Fatal(err)
		}
	}
	for _, s := range r.steps {
		if s.Run == "" {
			continue
		}
		env := []string{"CI=true", "GITHUB_ACTIONS=true", "RUNNER_TEMP=" + r.temp, "RUNNER_OS=Linux", "RUNNER_ARCH=X64",
			"GITHUB_WORKSPACE=" + r.dir, "GITHUB_EVENT_PATH=" + filepath.Join(r.temp, "event.json")}
		for variable, name := range files {
			env = append(env, variable+"="+filepath.Join(r.temp, name))
		}
		for name, value := range s.Env {
			if value = fill.Replace(value); strings.Contains(value, "${{") {
				r.Fatalf("%s: %s", name, value)
			}
			env = append(env, name+"="+value)
		}
		out, code := r.run(s.Run, env)
		if a.out, a.code = a.out+out, code; code != 0 {
			break
		}
	}
	summary, _ := os.ReadFile(filepath.Join(r.temp, "summary.md"))
	output, _ := os.ReadFile(filepath.Join(r.temp, "output"))
	a.summary = string(summary)
	for line := range strings.Lines(string(output)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		a.outputs[name] = value
	}
	return a
}

// The action lets a right change pass. A pull request that breaks a script fails, with a summary, annotations and
// outputs. A label waives the difference, and a new script is noticed.
func TestTheActionInAnotherRepository(t *testing.T) {
	longtest.Skip(t, "builds simulate, and runs the steps of action.yml")
	r := newRepository(t)
	inputs := map[string]string{"compare-flags": "--limit 10/1s extreme-case-1"}
	var labels []string
	wants := func(what string, code int, verdict, differences string, wants ...string) acted {
		t.Helper()
		a := r.act(inputs, labels)
		if a.code != code || a.outputs["verdict"] != verdict || a.outputs["differences"] != differences {
			t.Errorf("%s: exit code %d, want %d; outputs %q\n%s", what, a.code, code, a.outputs, a.out)
		}
		for _, want := range wants {
			if !strings.Contains(a.out, want) {
				t.Errorf("%s: no %q in\n%s", what, want, a.out)
			}
		}
		if !strings.HasPrefix(a.summary, "## ratelab: "+verdict+"\n\n") {
			t.Errorf("%s: the summary is\n%s", what, a.summary)
		}
		return a
	}
	wants("without a golden file", 2, "error", "0", "make it with simulate check limits --accept",
		"::error file=limits::")
	accept := r.temp + "/ratelab/simulate check limits --accept"
	r.bash(accept + " && git add . && git commit -qm first")
	inputs["base"] = r.bash("git rev-parse HEAD")
	a := wants("nothing changed", 0, "ok", "0", "ok: 1 scenario decides as in limits/simulate.json")
	if strings.Contains(a.out, "::") || !strings.HasPrefix(a.outputs["key"], "ratelab-Linux-X64-v1-") {
		t.Errorf("an annotation, or another key: %q\n%s", a.outputs, a.out)
	}
	good := r.read("limits/limiter.lua")
	r.write("limits/limiter.lua", strings.Replace(good, "return n", "local most = tonumber(ARGV[1])\nreturn n", 1))
	r.bash("git commit -qam right")
	wants("a right change", 0, "ok", "0", "ok: 1 scenario", "the same decisions on")

	labels = []string{"other"}
	r.write("limits/limiter.lua", strings.Replace(good, "n <= tonumber(ARGV[1])", "n <= ARGV[1] + 1", 1))
	a = wants("one too many", 1, "regression", "6",
		"::error file=limits/limiter.lua::edge: admitted is 22, expected 20\n",
		"::error file=limits/limiter.lua::new fault: off by one: admits 11 at once, and the limit is 10\n",
		"::error file=limits/limiter.lua::extreme-case-1: admitted 1999 -> 2000 of 2000; first in ")
	for _, want := range []string{"### check limits\n", "**REGRESSION in expectations, figures, findings**",
		"| figures | **REGRESSION** | 1 comparison |", "### compare limits/limiter.lua\n",
		"| extreme-case-1 | 2000 |"} {
		if !strings.Contains(a.summary, want) {
			t.Errorf("no %q in the summary\n%s", want, a.summary)
		}
	}
	reports := r.bash("cd " + a.outputs["report"] + " && ls | tr '\n' ' '")
	if want := "simulate-check.limits.json simulate-check.limits.md simulate-check.limits.sarif " +
		"simulate-check.limits.xml simulate-compare.limiter.json simulate-compare.limiter.md " +
		"simulate-compare.limiter.sarif simulate-compare.limiter.xml"; reports != want {
		t.Errorf("the report has %s", reports)
	}

	r.write("limits/edge.yaml", strings.Replace(r.read("limits/edge.yaml"), "admitted: 20", "admitted: 22", 1))
	r.bash(accept)
	wants("one too many that is meant", 1, "regression", "4", "::error file=limits/limiter.lua::extreme-case-1: ")
	labels = []string{"other", "ratelab-accepted"}
	a = wants("waived", 0, "waived", "4", "::warning file=limits/limiter.lua::extreme-case-1: ")
	if !strings.Contains(a.summary, "Waived by the label `ratelab-accepted` of the pull request.") ||
		strings.Contains(a.out, "::error") {
		t.Errorf("%s%s", a.out, a.summary)
	}
	labels = []string{`no"ratelab-accepted"`}
	wants("another label", 1, "regression", "4", "::error ")
	labels, inputs["on-difference"] = nil, "warn"
	wants("no more than a warning", 0, "warned", "4", "::warning file=limits/limiter.lua::",
		"::notice::waiver-label: this run has no pull request, so no label can waive a difference\n")

	delete(inputs, "on-difference")
	r.bash("git checkout -q . && cp limits/limiter.lua limits/new.lua && cp limits/limiter.yaml limits/new.yaml")
	wants("a new script", 1, "regression", "2", `edge: algorithm "new" is present, was absent`)
	r.bash(accept)
	inputs["waiver-label"] = "mine"
	wants("a new script, accepted", 0, "ok", "0", "::notice::waiver-label: this run has no pull request",
		"::notice file=limits/new.lua::new: there is nothing to compare it with")
}

// The image's last stage, over binaries that are built here, checks a folder: nothing is pulled for that.
func TestTheImage(t *testing.T) {
	longtest.Skip(t, "builds an image")
	if out, err := exec.CommandContext(t.Context(), "docker", "info").CombinedOutput(); err != nil {
		if os.Getenv("REQUIRE_DOCKER") == "1" {
			t.Fatalf("no Docker, and REQUIRE_DOCKER=1: %s", out)
		}
		t.Skip("Docker does not answer")
	}
	r := newRepository(t)
	recipe, err := os.ReadFile(filepath.Join(projectRoot(t), "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	_, last, found := strings.Cut(string(recipe), "\nFROM scratch\n")
	if !found || !strings.Contains(last, "COPY --from=build /out/ /\n") {
		t.Fatal("the last stage is another one")
	}
	context := filepath.Join(r.temp, "context")
	build := regexp.MustCompile(`CGO_ENABLED=0 go build [^&]*/cmd/bench`).FindString(strings.ReplaceAll(string(recipe), "\\\n", ""))
	build = strings.ReplaceAll(strings.ReplaceAll(build, "/out/", context+"/out/"), "$VERSION", "v0")
	r.bash("cd " + projectRoot(t) + " && " + build + " && mkdir -p " + context + "/out/tmp " + context + "/out/work")
	if err := os.WriteFile(filepath.Join(context, "Dockerfile"),
		[]byte("FROM scratch\n"+strings.Replace(last, "COPY --from=build /out/ /", "COPY out/ /", 1)),
		0o644); err != nil {
		t.Fatal(err)
	}
	r.bash("DOCKER_BUILDKIT=0 docker build -q -t ratelab-test " + context)
	t.Cleanup(func() { _ = exec.Command("docker", "rmi", "-f", "ratelab-test").Run() })
	inImage := `docker run --rm -v "$PWD:/work" ratelab-test `
	r.bash(inImage + "check limits --accept")
	if out := r.bash(inImage + "check limits"); !strings.Contains(out, "ok: 1 scenario") {
		t.Error(out)
	}
	if out := r.bash(inImage + "--version"); out != "simulate v0" {
		t.Error(out)
	}
}

// The module has another path after one command. Every import is found under it, and a test of all imports passes.
func TestRename(t *testing.T) {
	longtest.Skip(t, "tests a copy of the project under another path")
	r := newRepository(t)
	copyProject(t, projectRoot(t), r.dir)
	out, code := r.run("make --no-print-directory rename MODULE=ratelab", nil)
	if code != 2 || strings.Count(out, "rename:") != 1 || !strings.Contains(out, "MODULE=example.org/you/ratelab") {
		t.Errorf("no path: exit code %d\n%s", code, out)
	}
	if out := r.bash("make --no-print-directory rename MODULE=example.org/you/ratelab"); !strings.Contains(out,
		"go install example.org/you/ratelab/cmd/simulate@latest") {
		t.Error(out)
	}
	out = r.bash("go list -m && gofmt -l . && go test -vet=off ./internal/architecture -run 'Import|Plan'")
	if !strings.HasPrefix(out, "example.org/you/ratelab\nok ") {
		t.Error(out)
	}
	if out, _ := r.run(`grep -rn '"ratelab/' --include=*.go . | grep -v '[(;]' | head -3`, nil); out != "" {
		t.Errorf("still the old path:\n%s", out)
	}
}

// copyProject copies what is not hidden in git.
func copyProject(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if name == ".git" && !d.IsDir() {
			return nil // of a worktree
		}
		if d.IsDir() {
			if name == ".git" || name == "bin" || strings.HasPrefix(name, "results") {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), data, info.Mode())
	})
	if err != nil {
		t.Fatal(err)
	}
}
