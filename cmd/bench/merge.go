package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/benchresult"
	"ratelab/internal/commandline"
	"ratelab/internal/message"
)

// merge joins the rounds of runs that measured the same.
func (a *app) merge() *cobra.Command {
	var o commandline.Output
	c := &cobra.Command{
		Use:   "merge RESULT RESULT… --out FOLDER [flags]",
		Short: "Join runs of the same thing into one result with all their rounds",
		Long: `Join the results of runs that measured the same: on one machine, one server's version, with one set
of settings, scripts and scenarios. Histograms are added and rounds counted on, without measuring
again; what does not belong together is refused. RESULT is a bench.json, or the folder that has one.`,
		Args: wantResults(2, 0, "at least two results"),
	}
	groups := commandline.NewGroups(c)
	groups.Add("Output", func(fs *pflag.FlagSet) {
		o.FormatFlag(fs, benchresult.Forms.Names())
		o.FolderFlag(fs, "", "the joined bench.json, histograms, samples and charts; needed")
		o.ChartsFlag(fs)
		o.QuietFlag(fs)
	})
	groups.Complete(c, map[string][]string{"format": benchresult.Forms.Names(), "charts": commandline.Charts})
	commandline.Help(c, groups, "")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if err := groups.Empty(); err != nil {
			return err
		}
		return a.join(&o, args)
	}
	return c
}

func (a *app) join(o *commandline.Output, args []string) error {
	if err := o.CheckFormat(benchresult.Forms.Names()); err != nil {
		return err
	}
	pictures, err := o.ChartFormats()
	if err != nil {
		return err
	}
	if o.Folder == "" {
		return commandline.Usage("merge: say with --out FOLDER where the joined result goes")
	}
	for _, arg := range args {
		if inFolder(resultFile(arg), o.Folder) {
			return commandline.Usage("--out %s: %s is there and would be replaced; want another folder", message.Path(o.Folder), message.Path(arg))
		}
	}
	all, err := results(args)
	if err != nil {
		return err
	}
	joined := all[0]
	for i, next := range all[1:] {
		if joined, err = benchresult.Merge(joined, next); err != nil {
			return commandline.Usage("%s: cannot be joined with what is before it: %w", message.Path(args[i+1]), err)
		}
	}
	if err := refuseForeign(o.Folder); err != nil {
		return err
	}
	giveBack, err := commandline.MakeFolder("--out", o.Folder)
	if err != nil {
		return err
	}
	err = a.deliver(o, pictures, joined)
	if err != nil {
		giveBack() // which leaves what was delivered
	}
	return err
}
