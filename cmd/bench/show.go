package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/benchresult"
	"ratelab/internal/commandline"
	"ratelab/internal/compare"
	"ratelab/internal/costresult"
	"ratelab/internal/result"
)

// show prints a result again.
func (a *app) show() *cobra.Command {
	var o commandline.Output
	c := &cobra.Command{
		Use:   "show RESULT [flags]",
		Short: "Print the figures of a result again, in any format",
		Long: `Print the figures of a result without measuring again. RESULT is a bench.json of bench run, a
paired.json of bench compare, a cost.json of bench cost, or the folder that has one. The exit code
is 0 whatever the figures are.`,
		Args: wantResults(1, 1, "one result"),
	}
	groups := commandline.NewGroups(c)
	groups.Add("Output", func(fs *pflag.FlagSet) { o.FormatFlag(fs, benchresult.Forms.Names()) })
	groups.Complete(c, map[string][]string{"format": benchresult.Forms.Names()})
	commandline.Help(c, groups, "")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if err := groups.Empty(); err != nil {
			return err
		}
		return a.printAgain(&o, args[0])
	}
	return c
}

func (a *app) printAgain(o *commandline.Output, path string) error {
	if err := o.CheckFormat(benchresult.Forms.Names()); err != nil {
		return err
	}
	_, form, err := result.Read(path, result.Bench, result.Paired, result.Cost)
	if err != nil {
		return badInput(err)
	}
	if form == result.Cost {
		return a.showCost(o, path)
	}
	document, err := benchresult.ReadAny(path)
	if err != nil {
		return badInput(err)
	}
	paired, ok := document.(*benchresult.Paired)
	if !ok {
		if err := a.print(o, document.(*benchresult.Document)); err != nil {
			return fmt.Errorf("standard output: %w", err)
		}
		return nil
	}
	if o.CheckFormat(compare.Forms.Names()) != nil {
		return commandline.Usage("--format %s: of two sides measured in turn want one of %s", o.Format,
			strings.Join(compare.Forms.Names(), ", "))
	}
	return compare.Forms.Write(a.Stdout, o.Format, compare.Paired(paired), o.Terminal(a.Stdout))
}

// showCost prints what was counted.
func (a *app) showCost(o *commandline.Output, path string) error {
	if o.CheckFormat(costresult.Forms.Names()) != nil {
		return commandline.Usage("--format %s: of counted cost want one of %s", o.Format,
			strings.Join(costresult.Forms.Names(), ", "))
	}
	found, err := costresult.Read(path)
	if err != nil {
		return badInput(err)
	}
	return costresult.Forms.Write(a.Stdout, o.Format, found, o.Terminal(a.Stdout))
}
