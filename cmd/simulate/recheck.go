package main

import (
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
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
)

// checkAgain decides again, and compares or accepts.
func (a *app) checkAgain(c *cobra.Command, f *checkFlags, folder []string) error {
	job, err := a.checkJob(f, folder)
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
		return err
	}
	a.warn(found, f.Quiet)
	if len(folder) > 0 {
		anonymous(&found.Document)
		anonymous(want)
	}
	if err := verdict(&found.Document); err != nil {
		if f.accept {
			err = fmt.Errorf("not accepted: %w", err)
		}
		return err
	}
	decides := message.Count(len(job.Scenarios), "scenario") + message.Verb(len(job.Scenarios), " decides", " decide")
	if f.accept {
		fmt.Fprintf(a.Stdout, "accepted: %s as %s says from now on\n", decides, message.Path(path))
		for i, e := range found.Document.Examinations {
			for _, f := range e.Findings[:e.Faults()] {
				fmt.Fprintf(a.Stdout, "accepted: %s: fault: %v\n", scriptOf(job.Scripts, i), &f)
			}
		}
		return writeDocument(path, &found.Document)
	}
	differences := otherFindings(job.Scripts, want, &found.Document)
	if difference, equal := result.Compare(want, &found.Document, message.Path(path)); !equal {
		differences = append(differences, fmt.Errorf("the results differ: %s", difference))
	}
	if differences != nil {
		differences = append(differences, fmt.Errorf("if that is meant: %s --accept", again))
		return cli.Exit(cli.ExitMissed, errors.Join(differences...))
	}
	fmt.Fprintf(a.Stdout, "ok: %s as in %s\n", decides, message.Path(path))
	return nil
}

// scriptOf is the file of the examination of that number: each limit has one of each script.
func scriptOf(files []script.File, i int) string { return message.Path(files[i%len(files)].Name) }

// otherFindings names the findings about each script that only one of two documents has.
func otherFindings(files []script.File, want, got *result.Document) (all []error) {
	at := func(d *result.Document, like *result.Examination) *result.Examination {
		for i := range d.Examinations {
			if e := &d.Examinations[i]; e.Algorithm == like.Algorithm && e.Limit == like.Limit {
				return e
			}
		}
		return &result.Examination{}
	}
	for i := range got.Examinations {
		now := &got.Examinations[i]
		before, name := at(want, now), scriptOf(files, i)
		for _, f := range now.Without(before) {
			all = append(all, fmt.Errorf("%s: new %v", name, f))
		}
		for _, f := range before.Without(now) {
			all = append(all, fmt.Errorf("%s: no longer %v", name, f))
		}
	}
	return all
}

// checkJob is everything that is built in, or every scenario of a folder with every script in it.
func (a *app) checkJob(f *checkFlags, folder []string) (*run.Ask, error) {
	var scripts []string
	list, err := scenario.Builtin()
	if len(folder) == 1 {
		list, scripts, err = readOwnFolder(folder[0])
	}
	if err != nil {
		return nil, err
	}
	job := a.newJob(list, redis.KindEmbedded)
	job.Version = "" // the golden file changes with the figures, not with every version
	if job.Algorithms, err = f.Choices(); err != nil {
		return nil, err
	}
	job.Scripts, job.Expected = script.Files(append(scripts, f.Scripts...)), len(folder) == 1 && job.Algorithms == nil
	return job, nil
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
func (a *app) decideAgain(ctx context.Context, job *run.Ask, quiet bool) (*run.Result, error) {
	bar := a.NewBar(quiet)
	defer bar.Finish()
	job.Progress = progressOf(bar, job.Scenarios)
	found, err := decide(ctx, job)
	if err == nil && found.Interrupted {
		return nil, fmt.Errorf("%w: nothing was compared and nothing accepted", cli.ErrInterrupted)
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
