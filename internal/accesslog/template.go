package accesslog

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ratelab/internal/message"
)

// exampleTemplate is the template that error messages show.
const exampleTemplate = `'$remote_addr - $remote_user [$time_local] "$request" $status'`

// template reads lines of text by a pattern like nginx's log_format: literal text and $names.
type template struct {
	text     string
	first    string   // the text before the first name
	fields   []string // the names without the dollar
	literals []string // the text after each name
	values   [][]byte // the values in the current line
	words    [2]int   // the index of the time, and the number of its words
}

// ofTemplate returns the layout of lines that match a template.
func ofTemplate(name, text string) *layout {
	return &layout{
		name: Format(name),
		fits: func(first []byte) bool { // the line must have a time and a client with an address
			t, err := newTemplate(text)
			if err == nil {
				_, err = t.cut(first)
			}
			if err != nil || !slices.Contains(t.fields, "time") || !slices.Contains(t.fields, "client") {
				return false
			}
			at, who := t.values[slices.Index(t.fields, "time")], t.values[slices.Index(t.fields, "client")]
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
			return nil, fmt.Errorf("no text separates %s and %s; want text between two names",
				names[i-1], name)
		}
	}
	for i, name := range names {
		names[i] = strings.Trim(name, "${}")
	}
	return &template{text: text, first: literals[0], fields: names, literals: literals[1:],
		values: make([][]byte, len(names))}, nil
}

func (t *template) names() []string {
	if slices.Contains(t.fields, "request") {
		return append(slices.Clip(t.fields), "method", "path")
	}
	return t.fields
}

// column finds a name, or a part of the request.
func (t *template) column(name string) (column, error) {
	if !slices.Contains(t.names(), name) {
		return nil, fmt.Errorf("%s is not in the template; %s", message.Quote(name), message.OneOf(name, t.names()))
	}
	if i := slices.Index(t.fields, name); i >= 0 {
		return func() ([]byte, error) { return t.values[i], nil }, nil
	}
	i := slices.Index(t.fields, "request")
	return func() ([]byte, error) { return requestPart(t.values[i], name), nil }, nil
}

// cut gives each name the text up to the literal after it. Other text may precede the first literal. It may also
// precede the client if that is the first name, as containers and syslog write it.
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
		end, from := len(rest), 0
		if i == t.words[0] {
			for range t.words[1] - 1 { // the literal may occur within the time
				word, _ := cutByte(rest[from:], ' ')
				from += len(word)
				from += len(rest[from:]) - len(bytes.TrimLeft(rest[from:], " "))
			}
		}
		switch {
		case strings.HasPrefix(literal, `"`):
			end = from + closingQuote(rest[from:])
		case literal == ":" && i+1 < len(t.fields) && strings.HasSuffix(t.fields[i+1], "port"):
			host := rest // an IPv6 address also has colons
			if next := t.literals[i+1]; next != "" {
				host, _, _ = bytes.Cut(rest, []byte(next))
			}
			end = bytes.LastIndexByte(host, ':')
		case literal != "":
			end = from + bytes.Index(rest[from:], []byte(literal))
		}
		if end < from || !bytes.HasPrefix(rest[end:], []byte(literal)) {
			return lacks(literal)
		}
		value := bytes.TrimRight(rest[:end], " ")
		if i == 0 && t.first == "" && bytes.IndexByte(value, ' ') >= 0 && (i != t.words[0] || t.words[1] == 0) {
			if _, found, _ := client(value); address(found) != nil {
				value = found
			}
		}
		t.values[i], rest = value, rest[end+len(literal):]
		if strings.HasSuffix(literal, " ") { // some servers align columns with blanks
			rest = bytes.TrimLeft(rest, " ")
		}
	}
	return nil, nil
}
