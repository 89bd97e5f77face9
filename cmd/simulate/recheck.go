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

// checkAgain decides everything again, and compares with or accepts the figures.
func (a *app) checkAgain(c *cobra.Command, f *checkFlags, folder []string) error {
	job, files, err := f.job(folder)
	if err != nil {
		return err
	}
	path := filepath.Join(append(folder, results)[0], golden)
	again := cli.Again(c, folder, "accept", "format", "quiet", "report")
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
	doc := result.New(result.OfCheck, cli.Version(version))
	v := result.Verdict{Base: path, Head: append(folder, "the built-in scenarios")[0],
		Server: found.Document.Runs[0].Server.String(), Gates: []result.Gate{expectations(job.Scripts, &found.Document),
			figures(c.Context(), job, folder, want, &found.Document), findings(job.Scripts, want, &found.Document)}}
	if err := c.Context().Err(); err != nil {
		return err
	}
	v.Conclude()
	doc.Verdicts = []result.Verdict{v}
	other := otherServer(want, &found.Document)
	if other != nil {
		doc.Notes = append(doc.Notes, other.Error())
	}
	if err := checkForms.WriteReport(f.Report, doc); err != nil {
		return err
	}
	if f.Format.Value != report.TableFormat {
		if err := checkForms.Write(a.Stdout, f.Format.Value, doc, a.Terminal(f.Quiet)); err != nil {
			return err
		}
	}
	differences := lines(v.Gates[1:]...)
	if differences == nil && missed == nil {
		if other != nil && !f.Quiet {
			fmt.Fprintf(a.Stderr, "simulate: note: %v\n", other)
		}
		if f.Format.Value == report.TableFormat {
			fmt.Fprintf(a.Stdout, "ok: %s as in %s\n%s", decides, message.Path(path), server)
		}
		return nil
	}
	all := append([]error{missed}, append(differences, other)...)
	if missed == nil {
		all = append(all, fmt.Errorf("%s; if this is intended: %s --accept",
			message.Count(len(differences), "difference"), again))
	}
	return cli.Exit(cli.ExitMissed, errors.Join(all...))
}

// otherServer returns a note if the accepted document is from another server, or nil if the server has the same kind,
// name and version.
func otherServer(want, got *result.Document) error {
	if len(want.Runs) == 0 || want.Runs[0].Server.SameAs(got.Runs[0].Server) {
		return nil
	}
	before, now := want.Runs[0].Server, got.Runs[0].Server
	return fmt.Errorf("the accepted figures are from another server: %v; this one is %v", before, now)
}

// mostDifferences is the most differences of figures that are listed. Further ones are counted.
const mostDifferences = 10

// lines returns an error for each regression. Further differences of figures are one error.
func lines(gates ...result.Gate) (all []error) {
	for _, g := range gates {
		n := g.Count(result.Regression)
		for _, j := range g.Rows {
			switch {
			case j.Outcome != result.Regression:
			case g.Name == "figures" && len(all) == mostDifferences:
				all = append(all, fmt.Errorf("and %d more", n-len(all)))
			case g.Name != "figures" || len(all) < mostDifferences:
				text := strings.TrimPrefix(message.Path(cmp.Or(j.Script, j.Limiter))+": ", ": ")
				if j.Where != "" {
					text += j.Where + ": "
				}
				all = append(all, errors.New(text+j.Statement))
			}
		}
	}
	return all
}

// fileOf returns the file of the row with that label, or "" if the limiter is built in.
func fileOf(files []script.File, d *result.Document, label string) string {
	for i, f := range files {
		if d.Examinations[i].Algorithm == label {
			return f.Name
		}
	}
	return ""
}

// expectations has a comparison for each expectation that could be checked.
func expectations(files []script.File, d *result.Document) result.Gate {
	g := result.Gate{Name: "expectations", Rule: "every figure is as its scenario expects", Outcome: result.Noted}
	for i := range d.Runs {
		for _, e := range d.Runs[i].Expectations {
			if e.Met == nil {
				continue
			}
			j := result.Judgement{Limiter: e.Algorithm, Script: fileOf(files, d, e.Algorithm),
				Where: d.Runs[i].Scenario, Measure: e.Measure, Base: e.Want, Outcome: result.Same,
				Statement: "as expected"}
			if e.Got != nil {
				j.Head = *e.Got
			}
			if !*e.Met {
				j.Outcome = result.Regression
				j.Statement = strings.TrimPrefix(report.Missed(e), e.Algorithm+": ")
			}
			g.Add(j)
		}
	}
	return g
}

// figures has a comparison for each row of each scenario, and one for each difference that is in no row.
func figures(ctx context.Context, job *job, folder []string, want, got *result.Document) result.Gate {
	g := result.Gate{Name: "figures", Rule: "all figures equal the accepted ones", Outcome: result.Noted}
	differs := map[[2]string]bool{}
	for i, d := range result.Compare(want, got) {
		j := result.Judgement{Limiter: d.Algorithm, Script: fileOf(job.Scripts, got, d.Algorithm), Where: d.Scenario,
			Measure: "figures", Outcome: result.Regression, Statement: d.Text}
		if at := slices.IndexFunc(job.Scripts, func(f script.File) bool { return f.Name == j.Script }); at >= 0 &&
			i < mostDifferences {
			j.Statement += firstDecision(ctx, job, folder, want.Files, job.Scripts[at], d.Scenario)
		}
		differs[[2]string{d.Scenario, d.Algorithm}] = true
		g.Add(j)
	}
	for i := range got.Runs {
		for _, row := range got.Runs[i].Results {
			if at := [2]string{got.Runs[i].Scenario, row.Algorithm}; !differs[at] {
				g.Add(result.Judgement{Limiter: at[1], Script: fileOf(job.Scripts, got, at[1]), Where: at[0],
					Measure: "figures", Outcome: result.Same, Statement: "as accepted"})
			}
		}
	}
	return g
}

// firstDecision describes the first request of a scenario that a script now decides differently. It returns "" if this
// cannot be found out: if clients react, or if the document does not have the accepted files.
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

// scriptOf returns the file of examination i. Each limit has one examination per script.
func scriptOf(files []script.File, i int) string { return message.Path(files[i%len(files)].Name) }

// findings has a comparison for each finding that only one of the two documents has. Each kind is named at the first
// limit that shows it. A script with the same findings has one comparison.
func findings(files []script.File, want, got *result.Document) result.Gate {
	g := result.Gate{Name: "findings", Rule: "examine finds what was accepted", Outcome: result.Noted}
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
		before, name := at(want, now), files[i%len(files)].Name
		add := func(what string, now, then *result.Examination) {
			for kind, words := range now.Without(then) {
				if of := name + what + kind; !said[of] {
					said[of], said[name] = true, true
					g.Add(result.Judgement{Limiter: got.Examinations[i].Algorithm, Script: name,
						Measure: kind[strings.LastIndex(kind, " ")+1:], Outcome: result.Regression,
						Statement: what + " " + words})
				}
			}
		}
		add("new", now, before)
		add("no longer", before, now)
	}
	for i := range files {
		if name := files[i].Name; !said[name] {
			g.Add(result.Judgement{Limiter: got.Examinations[i].Algorithm, Script: name, Measure: g.Name,
				Outcome: result.Same, Statement: "the same findings"})
		}
	}
	return g
}

// checkJob returns a job with everything that is built in, or with all scenarios of a folder and all scripts in it.
// files gets the text of each of these scripts and bindings when it is read.
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
	if len(folder) == 0 && (f.Algorithms != nil || all != nil) {
		list = slices.DeleteFunc(list, (*scenario.Scenario).RequestsEnd)
	}
	job = newJob(list, f.redis, all != nil)
	job.Version = "" // the golden file must not change with every version
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

// below returns a file's name relative to the folder, so that the golden file does not depend on the folder's name.
func below(folder []string, name string) string {
	path, _ := filepath.Rel(folder[0], name) // Rel fails for a file on another drive
	return filepath.ToSlash(cmp.Or(path, name))
}

// anonymous removes the hashes of users' scripts: a script may be rewritten if its decisions stay the same.
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

// decideAgain does a job, and fails if it is interrupted.
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

// readGolden reads a golden document. again is the command that makes one, for error messages.
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

// readOwnFolder reads the scenarios of a folder, and returns the names of its scripts. A script is NAME.lua, and its
// binding is NAME.yaml. Every other YAML file is a scenario. A script without a binding may be the init of another
// script.
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
	names, _ := fs.Glob(os.DirFS(dir), pattern) // sorted; the pattern is valid
	for _, name := range names {
		files = append(files, filepath.Join(dir, name))
	}
	return files
}
