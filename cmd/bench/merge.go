package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/benchresult"
	"ratelab/internal/commandline"
)

const aboutMerge = `Make one result of the shards of a run.

bench run --shard I/N sends the requests of one shard of N, together with the other shards, each in
a process of its own, and writes a file. From the files of all N this makes one result: requests
and decisions are summed, and each histogram has in each bucket what those of all shards have
together, so that percentiles are those of all requests. One shard that is invalid makes the whole
invalid. What is not of the same run, is there twice, is missing or damaged is refused by name.`

const examplesMerge = `  for i in 1 2 3; do bench run --redis redis://staging:6379 --shard $i/3 --out parts & done; wait
  bench merge parts/bench-shard-*-of-3.json    table here, files and charts in results/latest-bench`

const closingMerge = `Exit codes: 0 ok · 2 usage, or shards that do not belong together, are missing or damaged · 3 the
harness could not run · 4 a shard is invalid.
`

// mergeFlags are those of merge.
type mergeFlags struct {
	*commandline.Groups
	commandline.Output
}

// merge puts shards together.
func (a *app) merge() *cobra.Command {
	var f mergeFlags
	c := &cobra.Command{
		Use:     "merge PART… [flags]",
		Short:   "Make one result of the shards of a run",
		Long:    aboutMerge,
		Example: examplesMerge,
		Args:    cobra.ArbitraryArgs,
		RunE:    func(_ *cobra.Command, args []string) error { return a.mergeFiles(&f, args) },
	}
	f.Groups = commandline.NewGroups(c)
	f.Add("Output", func(fs *pflag.FlagSet) {
		f.FormatFlag(fs, benchresult.Forms.Names())
		f.FolderFlag(fs, defaultFolder, "bench.json, histograms, samples and charts")
		f.ChartsFlag(fs, "")
		f.QuietFlag(fs)
	})
	f.Complete(c, map[string][]string{"format": benchresult.Forms.Names(), "charts": commandline.Charts})
	commandline.Help(c, f.Groups, closingMerge)
	return c
}

// mergeFiles is merge of these files. If it fails nothing is printed or written.
func (a *app) mergeFiles(f *mergeFlags, paths []string) error {
	if err := errors.Join(f.Empty(), f.CheckFormat(benchresult.Forms.Names())); err != nil {
		return err
	}
	pictures, err := f.ChartFormats(false)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return commandline.Usage("merge: no files; name those of all shards, such as parts/bench-shard-*-of-4.json")
	}
	files, err := readParts(paths)
	if err != nil {
		return err
	}
	merged, err := benchresult.Merge(files)
	if err != nil {
		return commandline.Exit(commandline.ExitUsage, err)
	}
	if err := refuseForeign(f.Folder); err != nil {
		return err
	}
	if _, err := commandline.MakeFolder("--out", f.Folder); err != nil {
		return err
	}
	return a.deliver(&f.Output, pictures, merged)
}

// readParts reads the files, and tells everything that is wrong with any of them.
func readParts(paths []string) ([]benchresult.PartFile, error) {
	var files []benchresult.PartFile
	var wrong []error
	for _, path := range paths {
		file, err := benchresult.ReadPart(path)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		files = append(files, file)
	}
	if wrong != nil {
		return nil, badInput(errors.Join(wrong...))
	}
	return files, nil
}
