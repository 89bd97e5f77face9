package cli

import (
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ratelab/internal/chart"
	"ratelab/internal/message"
)

// Output holds the flags about the output.
type Output struct {
	Format Value[string]
	Folder string
	Force  bool
	Quiet  bool
	Report string

	charts  string
	theme   Value[string]
	scale   Value[int]
	flagged func(name string) bool
}

// FormatFlag adds --format to c.
func (o *Output) FormatFlag(c *cobra.Command, formats []string) {
	o.Format = Word(formats[0], formats)
	words := strings.Join(formats, ", ")
	if at := strings.Index(words, "openmetrics"); at >= 0 { // too long for one line
		words = strings.TrimSpace(words[:at]) + "\n" + words[at:]
	}
	c.Flags().VarP(&o.Format, "format", "f", "`FORMAT`: "+words)
	Complete(c, "format", formats)
}

// ReportFlag adds --report to c.
func (o *Output) ReportFlag(c *cobra.Command) {
	c.Flags().StringVar(&o.Report, "report", "", "also write the verdict to `FOLDER`, in every format")
}

// FolderFlags adds --out, --force and the flags about charts to c. what describes the contents of the folder.
func (o *Output) FolderFlags(c *cobra.Command, folder, what string) {
	c.Flags().StringVarP(&o.Folder, "out", "o", folder, "`FOLDER` for "+what)
	c.Flags().StringVar(&o.charts, "charts", "svg,png", "`FORMATS`: svg, png, svg,png or none")
	Complete(c, "charts", []string{"svg", "png", "none"})
	themes := []string{chart.Light, chart.Dark, chart.Auto}
	o.theme, o.scale = Word(chart.Light, themes), Count(2, 1, 4)
	c.Flags().Var(&o.theme, "theme", "`THEME` of charts: light, dark, auto (both)")
	Complete(c, "theme", themes)
	c.Flags().Var(&o.scale, "scale", "`N` px of a PNG for each px of an SVG, 1 to 4")
	o.ForceFlag(c)
	o.flagged = c.Flags().Changed
}

// ForceFlag adds --force to c.
func (o *Output) ForceFlag(c *cobra.Command) {
	c.Flags().BoolVar(&o.Force, "force", false, "replace files that simulate or bench did not write")
}

// QuietFlag adds --quiet to c.
func (o *Output) QuietFlag(c *cobra.Command) {
	c.Flags().BoolVarP(&o.Quiet, "quiet", "q", false, "print only the results: no progress, no notes")
}

// Charts returns how charts are drawn. For --charts none there are no formats. If there are many pictures, the default
// is only SVG: a PNG takes three times the processor time.
func (o *Output) Charts(many bool) (s chart.Style, err error) {
	s.Theme, s.Scale = o.theme.Value, o.scale.Value
	switch {
	case many && !o.flagged("charts"):
		s.Formats = []string{"svg"}
	case o.charts != "none":
		s.Formats = Split([]string{o.charts})
	}
	if slices.ContainsFunc(s.Formats, func(name string) bool { return name != "svg" && name != "png" }) {
		return s, Usage("--charts %s: want svg, png, svg,png or none", message.Quote(o.charts))
	}
	return s, nil
}

// ShowPictures prints the HTML for each chart of --theme auto, unless the output is quiet.
func (o *Output) ShowPictures(w io.Writer, s chart.Style, figures []*chart.Figure) {
	if s.Theme != chart.Auto || len(s.Formats) == 0 || o.Quiet {
		return
	}
	for _, f := range figures {
		fmt.Fprint(w, chart.Picture(path.Join(filepath.ToSlash(o.Folder), f.Name+"."+s.Formats[0]), f.Alt()))
	}
}
