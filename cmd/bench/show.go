package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// show returns the command that prints a result again.
func (a *app) show() *cobra.Command {
	var o cli.Output
	c := &cobra.Command{
		Use: "show RESULT", Short: "Print the figures of a result again, in any format",
		Long: `Print the figures of a result without measuring again. RESULT is a bench.json of bench run, or the
folder that has one. The exit code is 0 whatever the figures are.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			found, err := result.Read(args[0], result.OfBench)
			if err != nil {
				return err
			}
			return report.BenchmarkFormats.Write(a.Stdout, o.Format.Value, found, a.Terminal(false))
		},
	}
	o.FormatFlag(c, report.BenchmarkFormats.Names())
	return c
}

// plot returns the command that draws the charts of a result again.
func (a *app) plot() *cobra.Command {
	var o cli.Output
	c := &cobra.Command{
		Use: "plot RESULT", Short: "Draw the charts of a result again",
		Long: `Draw the charts of a result without measuring again. RESULT is a bench.json of bench run, or the
folder that has one. The charts go beside it, unless --out says where.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.redraw(&o, args[0]) },
	}
	o.FolderFlags(c, "", "the charts and their data (default: beside RESULT)")
	o.QuietFlag(c)
	return c
}

func (a *app) redraw(o *cli.Output, path string) error {
	style, err := o.Charts(false)
	if err != nil {
		return err
	}
	if style.Formats == nil {
		return cli.Usage("--charts none: nothing would be drawn; want svg, png or svg,png")
	}
	found, err := result.Read(path, result.OfBench)
	if err != nil {
		return err
	}
	if o.Folder == "" {
		o.Folder = path
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			o.Folder = filepath.Dir(path)
		}
	}
	if err := cli.CheckFolder("--out", o.Folder, o.Force); err != nil {
		return err
	}
	var files []string
	if err = os.MkdirAll(o.Folder, 0o755); err == nil {
		files, err = a.draw(o, style, found)
	}
	for _, file := range files {
		fmt.Fprintln(a.Stdout, file)
	}
	if err != nil {
		return fmt.Errorf("--out %s: %w", message.Path(o.Folder), err)
	}
	return nil
}
