package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/benchchart"
	"ratelab/internal/commandline"
	"ratelab/internal/costchart"
	"ratelab/internal/costresult"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// plot draws the charts of results again, several results in the same ones.
func (a *app) plot() *cobra.Command {
	var o commandline.Output
	c := &cobra.Command{
		Use:   "plot RESULT… [flags]",
		Short: "Draw the charts of one result again, or of several together",
		Long: `Draw the charts of results without measuring again. RESULT is a bench.json, or the folder that has
one; a cost.json by itself is drawn, too. Of one result the charts go beside it; several, such as
runs on two servers, are drawn into the same charts, and --out says where.`,
		Args: wantResults(1, 0, "at least one result"),
	}
	groups := commandline.NewGroups(c)
	groups.Add("Output", func(fs *pflag.FlagSet) {
		o.FolderFlag(fs, "", "the charts and their data (default: beside the only RESULT)")
		o.ChartsFlag(fs, "")
		o.QuietFlag(fs)
	})
	groups.Complete(c, map[string][]string{"charts": commandline.Charts})
	commandline.Help(c, groups, "")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if err := groups.Empty(); err != nil {
			return err
		}
		return a.redraw(&o, args)
	}
	return c
}

func (a *app) redraw(o *commandline.Output, args []string) error {
	formats, err := o.ChartFormats(false)
	if err != nil {
		return err
	}
	if len(formats) == 0 {
		return commandline.Usage("--charts none: nothing would be drawn; want svg, png or svg,png")
	}
	if o.Folder == "" && len(args) > 1 {
		return commandline.Usage("plot: of several results say with --out FOLDER where their charts go")
	}
	if len(args) == 1 && isCost(args[0]) {
		return a.redrawCost(o, formats, args[0])
	}
	all, err := results(args)
	if err != nil {
		return err
	}
	if _, err := benchchart.LeftOut(all); err != nil {
		return commandline.Usage("%w", err)
	}
	if o.Folder == "" {
		o.Folder = filepath.Dir(resultFile(args[0]))
	}
	if err := commandline.RefuseForeign("--out", o.Folder, earlierCharts(o.Folder)...); err != nil {
		return err
	}
	giveBack, err := commandline.MakeFolder("--out", o.Folder)
	if err != nil {
		return err
	}
	files, err := a.draw(o, formats, all...)
	if err != nil {
		giveBack()
		return fmt.Errorf("--out %s: %w", message.Path(o.Folder), commandline.WithoutPath(err))
	}
	for _, file := range files {
		if err := commandline.Println(a.Stdout, file); err != nil {
			return err
		}
	}
	return nil
}

// isCost reports whether a path is a document of bench cost, or a folder that has one and no bench.json.
func isCost(path string) bool {
	_, form, err := result.Read(path, result.Bench, result.Cost)
	return err == nil && form == result.Cost
}

// redrawCost draws the chart of what was counted.
func (a *app) redrawCost(o *commandline.Output, formats []string, path string) error {
	found, err := costresult.Read(path)
	if err != nil {
		return badInput(err)
	}
	if o.Folder == "" {
		if o.Folder = path; filepath.Ext(path) != "" {
			o.Folder = filepath.Dir(path)
		}
	}
	if err := commandline.RefuseForeign("--out", o.Folder, costNames[1:]...); err != nil {
		return err
	}
	if _, err := commandline.MakeFolder("--out", o.Folder); err != nil {
		return err
	}
	files, err := costchart.Write(o.Folder, found, formats...)
	if err != nil {
		return fmt.Errorf("--out %s: %w", message.Path(o.Folder), commandline.WithoutPath(err))
	}
	for _, file := range files {
		if err := commandline.Println(a.Stdout, file); err != nil {
			return err
		}
	}
	return nil
}
