package accesslog

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"ratelab/internal/message"
)

// Format is the format of a trace: one of Formats, or a template of a line, which contains a $name.
type Format string

// Each format is a file formats/NN-NAME.txt. NN is the order in which formats are listed and tried on a file's first
// line. The file has a line about the purpose of the format, a template after format:, and a sample with the requests
// in it, which is a test. A format without a template is read by Go code, which calls register.
//
//go:embed formats
var formatFiles embed.FS

// layout describes the lines of one format.
type layout struct {
	name   Format
	header bool // the first line names the fields
	quotes bool // fields in quotes may go on over the end of a line
	fixed  bool // the time and the client are always in the same place, so no note about them is needed
	// fits reports whether a file may begin with this line. It is nil if the first line alone does not show the format.
	fits func(first []byte) bool
	// check returns errors for fields of a trace that the format does not allow. It is nil if all are allowed.
	check func(t Trace) problems
	// open returns the reader of a file that begins with this line. It does not change the line. If it also returns an
	// error, the reader knows no field names.
	open func(first []byte) (format, error)
}

// format splits the lines of one file into fields.
type format interface {
	// names returns the names of the fields, as far as the first line shows them.
	names() []string
	// column finds a field by its exact name.
	column(name string) (column, error)
	// cut splits the next line. If other words at its start are to be noted, cut returns the first of them. Its error
	// has the cause and the remedy, without file and line.
	cut(line []byte) (before []byte, err error)
}

// column returns the value of one field of the current line. The value is valid until the next line.
type column func() ([]byte, error)

// coded are the layouts of formats without a template.
var coded = map[Format]*layout{}

// register adds the layout of a format without a template.
func register(l layout) bool {
	coded[l.name] = &l
	return true
}

// layouts returns the layouts of all formats, in order.
var layouts = sync.OnceValue(func() (all []*layout) {
	files, _ := formatFiles.ReadDir("formats") // embedded files can always be read
	for _, file := range files {
		text, _ := formatFiles.ReadFile("formats/" + file.Name())
		_, name, _ := strings.Cut(strings.TrimSuffix(file.Name(), ".txt"), "-")
		l := coded[Format(name)]
		if _, rest, found := strings.Cut(string(text), "\nformat: "); found {
			template, _, _ := strings.Cut(rest, "\n")
			l = ofTemplate(name, template)
		}
		all = append(all, l)
	}
	return all
})

// layout returns the layout of the format, or nil if there is no such format.
func (f Format) layout() *layout {
	if strings.Contains(string(f), "$") {
		return ofTemplate("template", string(f))
	}
	for _, l := range layouts() {
		if l.name == f {
			return l
		}
	}
	return nil
}

// Formats returns the formats that have a name, in the order in which messages list them.
func Formats() (all []Format) {
	for _, l := range layouts() {
		all = append(all, l.name)
	}
	return append(all, LiteLLM)
}

// LiteLLM is the table LiteLLM_SpendLogs of a LiteLLM proxy as CSV. It stands for names of columns: see Expand.
const LiteLLM Format = "litellm"

// Expand replaces the format LiteLLM by CSV with the names of its columns, unless the trace names others. If settles is
// set, a request costs the tokens of its prompt, and all its tokens at its end. Otherwise it costs all its tokens.
func (t *Trace) Expand(settles bool) {
	if t.Format != LiteLLM {
		return
	}
	t.Format = CSV
	t.Time, t.Key = cmp.Or(t.Time, "startTime"), cmp.Or(t.Key, "api_key")
	if t.Takes == "" {
		t.End = cmp.Or(t.End, "endTime")
	}
	if t.Cost == "" && t.Actual == "" {
		t.Cost = "total_tokens"
		if settles {
			t.Cost, t.Actual = "prompt_tokens", "total_tokens"
		}
	}
}

// guess returns the format of a file with this first line. timeColumn is the trace's time column; a header may consist
// of it alone.
func guess(first []byte, timeColumn string) (Format, error) {
	for _, l := range layouts() {
		if l.fits != nil && l.fits(first) {
			return l.name, nil
		}
	}
	if first[0] == '[' && (len(first) == 1 || first[1] == '{') {
		return "", errors.New("a JSON array; want one object per line, as jq -c '.[]' FILE writes them")
	}
	if isHeader(first, timeColumn) {
		return CSV, nil
	}
	return "", fmt.Errorf("no format can be guessed from %s; want %s", message.Quote(first), anyFormat())
}

// anyFormat returns the ways to name a format, for messages.
func anyFormat() string {
	return "--trace-format with one of " + message.List(Formats()) + ", or with a template such as " + exampleTemplate
}
