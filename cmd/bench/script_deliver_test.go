package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/benchresult"
	"ratelab/internal/commandline"
)

// deliverMain is: deliver RESULT [flags]
// It does with a result what bench run does with the one that it measured, and takes its flags of output.
func deliverMain() {
	a := &app{commandline.Streams{Stdout: os.Stdout, Stderr: os.Stderr}}
	var o commandline.Output
	c := &cobra.Command{Use: "bench", Args: cobra.ExactArgs(1), RunE: func(_ *cobra.Command, args []string) error {
		pictures, err := o.ChartFormats(false)
		if err != nil {
			return err
		}
		found, err := benchresult.Read(args[0])
		if err != nil {
			return err
		}
		if err := refuseForeign(o.Folder); err != nil {
			return err
		}
		if _, err := commandline.MakeFolder("--out", o.Folder); err != nil {
			return err
		}
		return a.deliver(&o, pictures, found)
	}}
	commandline.NewGroups(c).Add("Output", func(fs *pflag.FlagSet) {
		o.FormatFlag(fs, benchresult.Forms.Names())
		o.FolderFlag(fs, "", "")
		o.ChartsFlag(fs, "")
		o.QuietFlag(fs)
	})
	os.Exit(commandline.Execute(c, os.Args[1:], a.Streams))
}
