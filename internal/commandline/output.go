package commandline

import (
	"io"
	"strings"

	"github.com/spf13/pflag"

	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

// Output is the flags of what is written, and where.
type Output struct {
	Format string
	Folder string
	Quiet  bool

	charts      string
	chartsGiven func() bool
}

// Charts are the values of --charts that a shell offers.
var Charts = []string{"svg", "png", "svg,png", "none"}

// FormatFlag adds --format.
func (o *Output) FormatFlag(fs *pflag.FlagSet, formats []string) {
	fs.StringVarP(&o.Format, "format", "f", formats[0], "`FORMAT` of standard output: "+strings.Join(formats, ", "))
}

// FolderFlag adds --out; what is what goes there.
func (o *Output) FolderFlag(fs *pflag.FlagSet, folder, what string) {
	fs.StringVarP(&o.Folder, "out", "o", folder, "`FOLDER` for "+what)
}

// ChartsFlag adds --charts; except is what its help says of where the default is another.
func (o *Output) ChartsFlag(fs *pflag.FlagSet, except string) {
	fs.StringVar(&o.charts, "charts", "svg,png", "`FORMATS` of the charts: svg, png, svg,png or none"+except)
	o.chartsGiven = func() bool { return fs.Changed("charts") }
}

// Terminal is that of w; of a table that is to be quiet no note is shown.
func (o *Output) Terminal(w io.Writer) sheet.Terminal {
	t := Terminal(w)
	t.Quiet = o.Quiet
	return t
}

// QuietFlag adds --quiet.
func (o *Output) QuietFlag(fs *pflag.FlagSet) {
	fs.BoolVarP(&o.Quiet, "quiet", "q", false, "only the results: no progress, no notes")
}

// ChartFormats is --charts as a list; empty for none. Of many pictures, unless the flag is given, SVG alone is enough:
// a PNG takes three times the processor time.
func (o *Output) ChartFormats(many bool) ([]string, error) {
	if many && !o.chartsGiven() {
		return []string{"svg"}, nil
	}
	if o.charts == "none" {
		return nil, nil
	}
	list := strings.Split(o.charts, ",")
	for _, name := range list {
		if name != "svg" && name != "png" {
			return nil, Usage("--charts %s: want svg, png, svg,png or none", message.Quote(o.charts))
		}
	}
	return list, nil
}

// CheckFormat refuses a --format that is none of formats.
func (o *Output) CheckFormat(formats []string) error {
	for _, name := range formats {
		if name == o.Format {
			return nil
		}
	}
	return Usage("--format %s: want one of %s", message.Quote(o.Format), strings.Join(formats, ", "))
}
