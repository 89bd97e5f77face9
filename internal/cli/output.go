package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

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

// FolderFlags adds --out, --force and --charts to c. what describes the contents of the folder.
func (o *Output) FolderFlags(c *cobra.Command, folder, what string) {
	c.Flags().StringVarP(&o.Folder, "out", "o", folder, "`FOLDER` for "+what)
	c.Flags().StringVar(&o.charts, "charts", "svg,png", "`FORMATS`: svg, png, svg,png or none")
	Complete(c, "charts", []string{"svg", "png", "none"})
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

// Charts returns the formats of --charts as a list. For none the list is empty. If there are many pictures, the default
// is only SVG: a PNG takes three times the processor time.
func (o *Output) Charts(many bool) ([]string, error) {
	if many && !o.flagged("charts") {
		return []string{"svg"}, nil
	}
	if o.charts == "none" {
		return nil, nil
	}
	list := Split([]string{o.charts})
	for _, name := range list {
		if !slices.Contains([]string{"svg", "png"}, name) {
			return nil, Usage("--charts %s: want svg, png, svg,png or none", message.Quote(o.charts))
		}
	}
	return list, nil
}
