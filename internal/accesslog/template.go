package accesslog

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ratelab/internal/message"
)

// exampleTemplate is what refusals show.
const exampleTemplate = `'$remote_addr - $remote_user [$time_local] "$request" $status'`

// template reads lines of text by a pattern as nginx's log_format has them: literal text and $names.
type template struct {
	text     string
	first    string   // before the first name
	names    []string // without the dollar
	literals []string // after each name
	values   [][]byte // of a line
}

// ofTemplate is the layout of lines that a template describes.
func ofTemplate(name, text string) *layout {
	return &layout{
		name: Format(name),
		fits: func(first []byte) bool { // with a time, and with a client that has an address
			t, err := newTemplate(text)
			if err == nil {
				_, err = t.cut(first)
			}
			if err != nil || !t.has("time") || !t.has("client") {
				return false
			}
			at, who := t.values[slices.Index(t.names, "time")], t.values[slices.Index(t.names, "client")]
			_, err = new(stamps).parse(at)
			return err == nil && (address(who) != nil || string(who) == "-")
		},
		check: func(trace Trace) problems {
			var p problems
			if t, err := newTemplate(text); err != nil {
				p.bad("format", "%v", err)
			} else if trace.Time == "" && known(t, timeNames) == "" {
				p.bad("format", "no $name of %s is a known time; want $%s, or its name in --trace-time, or in time in "+
					"a scenario", message.Quote(text), strings.Join(templateTimes, ", $"))
			}
			return p
		},
		open: func([]byte) (format, error) { return newTemplate(text) },
	}
}

var variable = regexp.MustCompile(`\$(\w+|\{\w+\})`)

func newTemplate(text string) (*template, error) {
	text = strings.ReplaceAll(text, `\t`, "\t")
	names, literals := variable.FindAllString(text, -1), variable.Split(text, -1)
	if names == nil {
		return nil, fmt.Errorf("%s has no $names; want a template such as %s", message.Quote(text), exampleTemplate)
	}
	for i, name := range names {
		if i > 0 && literals[i] == "" {
			return nil, fmt.Errorf("nothing between %s and %s tells where one ends; want text between two names",
				names[i-1], name)
		}
	}
	for i, name := range names {
		names[i] = strings.Trim(name, "${}")
	}
	return &template{text, literals[0], names, literals[1:], make([][]byte, len(names))}, nil
}

func (t *template) has(name string) bool {
	name = strings.TrimPrefix(name, "$")
	return slices.Contains(t.names, name) || (name == "method" || name == "path") && slices.Contains(t.names, "request")
}

// column finds a name, or a part of the request.
func (t *template) column(name string) (column, error) {
	if name = strings.TrimPrefix(name, "$"); !t.has(name) {
		return nil, fmt.Errorf("%s is not in the template; %s", message.Quote(name), message.OneOf(name, t.names))
	}
	if i := slices.Index(t.names, name); i >= 0 {
		return func() ([]byte, error) { return t.values[i], nil }, nil
	}
	i := slices.Index(t.names, "request")
	return func() ([]byte, error) { return requestPart(t.values[i], name), nil }, nil
}

// cut gives each name the text up to the literal that follows it. Other text may precede the first literal, and the
// client where that is the first name, as containers and syslog write it.
func (t *template) cut(line []byte) (before []byte, err error) {
	lacks := func(text string) ([]byte, error) {
		return nil, fmt.Errorf("%s: no %s where the template has it; want lines as %s", message.Quote(line),
			message.Quote(text), t.text)
	}
	begin := bytes.Index(line, []byte(t.first))
	if begin < 0 {
		return lacks(t.first)
	}
	rest := line[begin+len(t.first):]
	for i, literal := range t.literals {
		end := len(rest)
		if strings.HasPrefix(literal, `"`) {
			end = closingQuote(rest)
		} else if literal != "" {
			end = bytes.Index(rest, []byte(literal))
		}
		if end < 0 || !bytes.HasPrefix(rest[end:], []byte(literal)) {
			return lacks(literal)
		}
		value := rest[:end]
		if i == 0 && t.first == "" && bytes.IndexByte(value, ' ') >= 0 {
			if _, found, _ := client(value); address(found) != nil {
				value = found
			}
		}
		t.values[i], rest = value, rest[end+len(literal):]
		if strings.HasSuffix(literal, " ") { // some servers align columns
			rest = bytes.TrimLeft(rest, " ")
		}
	}
	return nil, nil
}
