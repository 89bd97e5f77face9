package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// deliverMain is: deliver RESULT [flags]
// It does with a result what bench run does with the one that it measured, and takes its flags of output.
func deliverMain() {
	os.Exit(cli.Run(context.Background(), os.Args[1:], cli.Streams{Stdout: os.Stdout, Stderr: os.Stderr},
		func(s cli.Streams) *cobra.Command {
			var o cli.Output
			c := &cobra.Command{Use: "bench", Args: cobra.ExactArgs(1)}
			c.RunE = func(_ *cobra.Command, args []string) error {
				pictures, err := o.Charts(false)
				if err != nil {
					return err
				}
				found, err := result.Read(args[0], result.OfBench)
				if err != nil {
					return err
				}
				return (&app{s}).deliver(&o, pictures, found, "")
			}
			o.FormatFlag(c, report.BenchmarkFormats.Names())
			o.FolderFlags(c, "", "")
			o.QuietFlag(c)
			return c
		}))
}
