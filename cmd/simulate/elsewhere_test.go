package main

import (
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
	var action struct{ Runs struct{ Steps []step } }
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	r.steps = action.Runs.Steps
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

// act runs the steps of the action that have commands, with these inputs, until one fails.
func (r *repository) act(inputs map[string]string) (out string, code int) {
	r.Helper()
	for _, s := range r.steps {
		if s.Run == "" || strings.HasPrefix(s.Name, "Compare") && inputs["base"] == "" {
			continue
		}
		env := []string{"RUNNER_TEMP=" + r.temp, "GITHUB_STEP_SUMMARY=" + filepath.Join(r.temp, "summary.md")}
		for name, value := range s.Env {
			value = strings.ReplaceAll(value, "${{ github.action_path }}", projectRoot(r.T))
			for input, given := range inputs {
				value = strings.ReplaceAll(value, "${{ inputs."+input+" }}", given)
			}
			env = append(env, name+"="+value)
		}
		text, code := r.run(s.Run, env)
		if out += text; code != 0 {
			return out, code
		}
	}
	return out, 0
}

// The action lets a right change pass, and one that decides otherwise fail; a new script is noticed.
func TestTheActionInAnotherRepository(t *testing.T) {
	longtest.Skip(t, "builds simulate, and runs the steps of action.yml")
	r := newRepository(t)
	inputs := map[string]string{"folder": "limits", "scripts": "", "base": "", "on-difference": "fail",
		"compare-flags": "--limit 10/1s extreme-case-1"}
	wants := func(what string, wantCode int, wants ...string) {
		t.Helper()
		out, code := r.act(inputs)
		if code != wantCode {
			t.Errorf("%s: exit code %d, want %d\n%s", what, code, wantCode, out)
		}
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", what, want, out)
			}
		}
	}
	wants("without a golden file", 2, "make it with simulate check limits --accept")
	r.bash(r.temp + "/ratelab/simulate check limits --accept && git add . && git commit -qm first")
	inputs["base"] = r.bash("git rev-parse HEAD")
	wants("nothing changed", 0, "ok: 1 scenario decides as in limits/simulate.json")

	good := r.read("limits/limiter.lua")
	r.write("limits/limiter.lua", strings.Replace(good, "return n", "local most = tonumber(ARGV[1])\nreturn n", 1))
	r.bash("git commit -qam right")
	wants("a right change", 0, "ok: 1 scenario", "the same decisions on")

	r.write("limits/limiter.lua", strings.Replace(good, "n <= tonumber(ARGV[1])", "n <= ARGV[1] + 1", 1))
	wants("one too many", 1, "expectation missed: edge: limiter: admitted is 22, expected 20")
	r.write("limits/edge.yaml", strings.Replace(r.read("limits/edge.yaml"), "admitted: 20", "admitted: 22", 1))
	r.bash(r.temp + "/ratelab/simulate check limits --accept")
	wants("one too many that is meant", 1, "::error file=limits/limiter.lua::simulate: first in ", "base rejects it")
	inputs["on-difference"] = "warn"
	wants("one too many, and no more than a warning", 0, "::warning file=limits/limiter.lua::")

	inputs["on-difference"] = "fail"
	r.bash("git checkout -q . && cp limits/limiter.lua limits/new.lua && cp limits/limiter.yaml limits/new.yaml")
	wants("a new script", 1, `edge: algorithm "new" is present, was absent`)
	r.bash(r.temp + "/ratelab/simulate check limits --accept")
	wants("a new script, accepted", 0, "::notice file=limits/new.lua::new: there is nothing to compare it with")
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
