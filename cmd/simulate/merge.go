package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/commandline"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/simulate"
)

const aboutMerge = `Make one result of the shards of a job.

simulate --redis model --shard I/N does the part of a job that falls on some of its keys, and
writes it to a file. From the files of all N this makes what one run would have made, to the byte:
tables, JSON, CSV, Markdown, charts and page. Shards may be made at the same time, on one machine
or on several, as long as all read the same log with the same version and the same flags.`

const examplesMerge = `  for i in 1 2 3; do simulate --redis model --limit 100/1m --trace access.log.gz --shard $i/3 --out parts; done
  simulate merge parts/shard-*-of-3.json                tables here, charts and page in results/latest
  simulate merge parts/shard-*-of-3.json --format json  the document`

const closingMerge = `Exit codes: 0 ok · 1 an expectation missed · 2 usage, or shards that do not belong together, are missing or
damaged · 3 the harness could not run.
`

// mergeFlags are those of merge.
type mergeFlags struct {
	*commandline.Groups
	commandline.Output
	forms
}

// merge puts shards together.
func (a *app) merge() *cobra.Command {
	var f mergeFlags
	c := &cobra.Command{
		Use:     "merge FILE… [flags]",
		Short:   "Make one result of the shards of a job",
		Long:    aboutMerge,
		Example: examplesMerge,
		Args:    cobra.ArbitraryArgs,
		RunE:    func(_ *cobra.Command, args []string) error { return a.mergeFiles(&f, args) },
	}
	c.DisableFlagsInUseLine = true
	f.Groups = commandline.NewGroups(c)
	f.Add("Output", func(fs *pflag.FlagSet) {
		f.FormatFlag(fs, report.Forms.Names())
		f.forms.register(fs)
		f.FolderFlag(fs, "results/latest", "index.html, charts, their data and result.json")
		f.ChartsFlag(fs, fmt.Sprintf(", svg of more than %d scenarios", fewScenarios))
		f.QuietFlag(fs)
	})
	f.Complete(c, map[string][]string{"format": report.Forms.Names(), "charts": commandline.Charts,
		"columns": report.CSVColumns()})
	commandline.Help(c, f.Groups, closingMerge)
	return c
}

// mergeFiles is merge of these files. If it fails nothing is printed or written.
func (a *app) mergeFiles(f *mergeFlags, paths []string) error {
	if err := errors.Join(f.Empty(), f.CheckFormat(report.Forms.Names()), f.forms.check(f.Format)); err != nil {
		return err
	}
	if len(paths) == 0 {
		return commandline.Usage("merge: no files; name those of all shards, such as parts/shard-*-of-3.json")
	}
	files, err := readParts(paths)
	if err != nil {
		return err
	}
	merged, err := simulate.Merge(files)
	if err != nil {
		return err
	}
	doc := &merged.Document
	var names []string
	for i := range doc.Runs {
		names = append(names, doc.Runs[i].Scenario)
	}
	pictures, err := f.ChartFormats(len(names) > fewScenarios)
	if err != nil {
		return err
	}
	mine := outputs(names, pictures)
	if err := commandline.RefuseForeign("--out", f.Folder, mine...); err != nil {
		return err
	}
	if _, err := commandline.MakeFolder("--out", f.Folder); err != nil {
		return err
	}
	printer := commandline.NewPrinter(a.Stdout)
	defer printer.Stop()
	printer.Print(func() error { return f.print(a.Stdout, f.Format, doc, f.Terminal(a.Stdout)) })
	write := func() error { return a.write(&f.Output, files[0].Command, merged, nil, pictures, mine) }
	return printer.Deliver(write, verdict(doc))
}

// readParts reads the files, and tells everything that is wrong with any of them.
func readParts(paths []string) ([]simulate.PartFile, error) {
	var files []simulate.PartFile
	var problems []error
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			problems = append(problems, fmt.Errorf("%s: is a folder; name the files of all shards in it: %s",
				message.Path(path), message.Path(filepath.Join(path, "shard-*.json"))))
			continue
		}
		file, err := simulate.ReadPart(path)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		files = append(files, file)
	}
	if len(problems) > 0 {
		return nil, commandline.Exit(commandline.ExitUsage, errors.Join(problems...))
	}
	return files, nil
}
