package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/limiter"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
)

// checkAgain decides again, and compares or accepts.
func (a *app) checkAgain(c *cobra.Command, f *checkFlags, folder []string) error {
	job, files, err := f.job(folder)
	if err != nil {
		return err
	}
	path, again := filepath.Join(append(folder, results)[0], golden), cli.Again(c, folder, "accept", "quiet")
	var want *result.Document
	if f.accept {
		err = cli.CheckFile(path, f.Force)
	} else {
		want, err = readGolden(path, again+" --accept")
	}
	if err != nil {
		return err
	}
	found, err := a.decideAgain(c.Context(), job, f.Quiet)
	if err != nil {
		return cli.ServerFault(err, scriptKinds)
	}
	if len(folder) > 0 {
		anonymous(&found.Document)
		anonymous(want)
	}
	missed := verdict(&found.Document)
	server := report.ServerLine(found.Document.Runs[0].Server).Text + "\n"
	decides := message.Count(len(job.Scenarios), "scenario") + message.Verb(len(job.Scenarios), " decides", " decide")
	switch {
	case f.accept && missed != nil:
		return fmt.Errorf("not accepted: %w", missed)
	case f.accept:
		found.Document.Files = files
		if err := writeDocument(path, &found.Document); err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "accepted: %s as %s says from now on\n%s", decides, message.Path(path), server)
		for i, e := range found.Document.Examinations {
			for _, f := range e.Findings[:e.Faults()] {
				fmt.Fprintf(a.Stdout, "accepted: %s: fault: %v\n", scriptOf(job.Scripts, i), &f)
			}
		}
		return nil
	}
	differences, err := differences(c.Context(), job, folder, want, &found.Document)
	if err != nil {
		return err
	}
	other := otherServer(want, &found.Document)
	if differences == nil && missed == nil {
		if other != nil && !f.Quiet {
			fmt.Fprintf(a.Stderr, "simulate: note: %v\n", other)
		}
		fmt.Fprintf(a.Stdout, "ok: %s as in %s\n%s", decides, message.Path(path), server)
		return nil
	}
	lines := append([]error{missed}, append(differences, other)...)
	if missed == nil {
		lines = append(lines, fmt.Errorf("%s; if that is meant: %s --accept",
			message.Count(len(differences), "difference"), again))
	}
	return cli.Exit(cli.ExitMissed, errors.Join(lines...))
}

// otherServer says that the accepted document is of another server; nil: it is of the same kind, name and version.
func otherServer(want, got *result.Document) error {
	if len(want.Runs) == 0 || want.Runs[0].Server.SameAs(got.Runs[0].Server) {
		return nil
	}
	before, now := want.Runs[0].Server, got.Runs[0].Server
	return fmt.Errorf("the accepted figures are of another server: %v; this one is %v", before, now)
}

// mostDifferences of figures are named, and the others counted.
const mostDifferences = 10

// differences are those from the accepted document, in a line each.
func differences(ctx context.Context, job *job, folder []string, want, got *result.Document) (
	all []error, err error) {
	found := result.Compare(want, got)
	for i, d := range found {
		if i == mostDifferences {
			all = append(all, fmt.Errorf("and %d more", len(found)-i))
			break
		}
		line := d.String()
		if d.Algorithm != "" {
			name, decision := d.Algorithm, ""
			for k, f := range job.Scripts {
				if got.Examinations[k].Algorithm == name {
					name = message.Path(f.Name)
					decision = firstDecision(ctx, job, folder, want.Files, f, d.Scenario)
					break
				}
			}
			line = name + ": " + line + decision
		}
		all = append(all, errors.New(line))
	}
	return append(all, otherFindings(job.Scripts, want, got)...), ctx.Err()
}

// firstDecision says which request of a scenario a script decides first otherwise than the accepted one did. It says
// nothing where that cannot be known: the clients react, or the accepted files are not in the document.
func firstDecision(ctx context.Context, job *job, folder []string, accepted map[string]string,
	now script.File, name string) string {
	before := script.File{Name: now.Name, Read: func(name string) ([]byte, error) {
		if text, ok := accepted[below(folder, name)]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}}
	base, err := limiter.SpecOf(before, "")
	head, err2 := limiter.SpecOf(now, "")
	if err != nil || err2 != nil {
		return ""
	}
	one := *job
	one.Progress, one.Scripts, one.Algorithms, one.Scenarios = nil, nil, nil, nil
	for _, s := range job.Scenarios {
		if s.Name == name {
			one.Scenarios = []*scenario.Scenario{s}
		}
	}
	c, err := one.compare(ctx, [2]*limiter.Spec{base, head}, nil)
	if err != nil || c.First == nil {
		return ""
	}
	q := c.First.Request
	return fmt.Sprintf("; first at %s: now %s", report.Span(q.AtUS),
		decided(c.First.Server, "key "+message.Quote(q.Key)))
}

// scriptOf is the file of the examination of that number: each limit has one of each script.
func scriptOf(files []script.File, i int) string { return message.Path(files[i%len(files)].Name) }

// otherFindings names the findings about each script that only one of two documents has, each kind at the first limit
// that shows it.
func otherFindings(files []script.File, want, got *result.Document) (all []error) {
	at := func(d *result.Document, like *result.Examination) *result.Examination {
		for i := range d.Examinations {
			if e := &d.Examinations[i]; e.Algorithm == like.Algorithm && e.Limit == like.Limit {
				return e
			}
		}
		return &result.Examination{}
	}
	said := map[string]bool{}
	for i := range got.Examinations {
		now := &got.Examinations[i]
		before, name := at(want, now), scriptOf(files, i)
		add := func(what string, now, then *result.Examination) {
			for kind, words := range now.Without(then) {
				if of := name + what + kind; !said[of] {
					said[of] = true
					all = append(all, fmt.Errorf("%s: %s %s", name, what, words))
				}
			}
		}
		add("new", now, before)
		add("no longer", before, now)
	}
	return all
}

// checkJob is everything that is built in, or every scenario of a folder with every script in it. files gets the text
// of each of these scripts and bindings when it is read.
func (f *checkFlags) job(folder []string) (job *job, files map[string]string, err error) {
	var scripts []string
	list, err := scenario.Builtin()
	if len(folder) == 1 {
		list, scripts, err = readOwnFolder(folder[0])
	}
	if err != nil {
		return nil, nil, err
	}
	all := append(scripts, f.Scripts...)
	job = newJob(list, f.redis, all != nil)
	job.Version = "" // the golden file changes with the figures, not with every version
	if job.Algorithms, err = f.Choices(); err != nil {
		return nil, nil, err
	}
	files = map[string]string{}
	for _, file := range script.Files(all) {
		read := file.Read
		file.Read = func(name string) ([]byte, error) {
			data, err := read(name)
			if err == nil {
				files[below(folder, name)] = string(data)
			}
			return data, err
		}
		job.Scripts = append(job.Scripts, file)
	}
	job.Expected = len(folder) == 1 && job.Algorithms == nil
	return job, files, nil
}

// below is a file's name as seen from the folder: whatever the folder is called, the golden file says the same.
func below(folder []string, name string) string {
	path, _ := filepath.Rel(folder[0], name) // "" from a folder to a file on another drive
	return filepath.ToSlash(cmp.Or(path, name))
}

// anonymous takes the hashes of scripts away: somebody's own may be written otherwise, as long as it decides the same.
func anonymous(doc *result.Document) {
	if doc == nil {
		return
	}
	for i := range doc.Runs {
		for k := range doc.Runs[i].Results {
			doc.Runs[i].Results[k].ScriptSHA1 = ""
		}
	}
	for i := range doc.Examinations {
		doc.Examinations[i].ScriptSHA1 = ""
	}
}

// decideAgain does a job to its end.
func (a *app) decideAgain(ctx context.Context, job *job, quiet bool) (*run.Result, error) {
	bar := a.NewBar(quiet)
	defer bar.Finish()
	job.Progress = progressOf(bar, job.Scenarios)
	found, err := job.decide(ctx)
	if err == nil && found.Interrupted {
		return nil, fmt.Errorf("%w: nothing was compared and nothing accepted", message.ErrInterrupted)
	}
	return found, err
}

// readGolden reads a golden document, which again makes where there is none.
func readGolden(path, again string) (*result.Document, error) {
	doc, err := result.Read(path, result.OfSimulate)
	var bad *result.BadFile
	if errors.As(err, &bad) && bad.Old {
		bad.Remedy = "make a new one with " + again
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, cli.Usage("%s: no such file; make it with %s", message.Path(path), again)
	case err != nil:
		return nil, cli.Usage("%w", err)
	}
	return doc, nil
}

// readOwnFolder reads the scenarios of a folder, and names its scripts: a script is NAME.lua, its binding the NAME.yaml
// beside it, and every other NAME.yaml is a scenario. A script without a binding may be another one's init.
func readOwnFolder(dir string) (list []*scenario.Scenario, scripts []string, err error) {
	if _, err := os.ReadDir(dir); err != nil {
		return nil, nil, cli.Usage("%s: %w; want a folder with scenarios and scripts", message.Path(dir),
			message.Unreadable(err))
	}
	lua, files := filesIn(dir, "*.lua"), filesIn(dir, "*.y*ml")
	var scenarios []string
	var problems []error
	for _, file := range files {
		source := strings.TrimSuffix(file, filepath.Ext(file)) + ".lua"
		switch {
		case slices.Contains(lua, source):
		case script.IsBinding(file):
			problems = append(problems, fmt.Errorf("%s: this binding's script %s is not there; bring it back, or "+
				"delete the binding", message.Path(file), message.Path(source)))
		default:
			scenarios = append(scenarios, file)
		}
	}
	if len(scenarios) == 0 {
		problems = append(problems, fmt.Errorf("%s: no scenario in it; want a file such as %s with limit: and phases: "+
			"(docs/scenarios.md has the fields)", message.Path(dir), message.Path(filepath.Join(dir, "edge.yaml"))))
	}
	if problems != nil {
		return nil, nil, cli.Exit(cli.ExitUsage, errors.Join(problems...))
	}
	scripts = slices.DeleteFunc(lua, func(file string) bool {
		bound := slices.Contains(files, strings.TrimSuffix(file, ".lua")+".yaml")
		return !bound && script.IsInit(dir, filepath.Base(file))
	})
	list, err = cli.LoadScenarios(scenarios)
	return list, scripts, err
}

func filesIn(dir, pattern string) (files []string) {
	names, _ := fs.Glob(os.DirFS(dir), pattern) // in order; the pattern is a good one
	for _, name := range names {
		files = append(files, filepath.Join(dir, name))
	}
	return files
}
