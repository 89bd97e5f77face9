package main

import (
	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/report"
)

// show prints a result again.
func (a *app) show() *cobra.Command {
	var o cli.Output
	c := &cobra.Command{
		Use: "show RESULT", Short: "Print the figures of a result again, in any format",
		Long: `Print the figures of a result without measuring again. RESULT is a bench.json of bench run, or the
folder that has one. The exit code is 0 whatever the figures are.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			found, err := read(args[0])
			if err != nil {
				return err
			}
			return report.BenchmarkFormats.Write(a.Stdout, o.Format.Value, found, a.Terminal(false))
		},
	}
	o.FormatFlag(c, report.BenchmarkFormats.Names())
	return c
}
