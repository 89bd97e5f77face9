package accesslog

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ratelab/internal/message"
)

// presets are the templates that have a name.
var presets = map[Format]string{
	ALB: `$type $time $elb $client $target $request_time $target_time $response_time $status $target_status $received ` +
		`$sent "$request" "$agent" $rest`,
	ELB: `$time $elb $client $backend $request_time $backend_time $response_time $status $backend_status $received ` +
		`$sent "$request" "$agent" $rest`,
	S3:      `$owner $bucket [$time] $client $requester $id $operation $path $rest`,
	HAProxy: `$client [$time] $frontend $backend $tq/$tw/$tc/$tr/$ta $status $bytes $captures "$request"`,
	Envoy:   `[$time] "$request" $status $flags $received $sent $duration $upstream_time "$client" "$agent" $rest`,
	Squid:   `$time $elapsed $client $status $bytes $method $path $user $peer $type`,
}

// exampleTemplate is what refusals show.
const exampleTemplate = `'$remote_addr - $remote_user [$time_local] "$request" $status'`

// template reads lines of text by a pattern as nginx's log_format has them: literal text and $names.
type template struct {
	text     string
	first    string   // before the first name
	names    []string // without the dollar
	literals []string // after each name
	values   [][]byte // of a line
	request  int      // which of the names is request; −1: none
}

var variable = regexp.MustCompile(`\$(\w+|\{\w+\})`)

func newTemplate(text string) (*template, error) {
	text = strings.ReplaceAll(text, `\t`, "\t")
	t := &template{text: text}
	places := variable.FindAllStringIndex(text, -1)
	if places == nil {
		return nil, fmt.Errorf("%s has no $names; want a template such as %s", message.Quote(text), exampleTemplate)
	}
	t.first = text[:places[0][0]]
	for i, at := range places {
		next := len(text)
		if i+1 < len(places) {
			if next = places[i+1][0]; next == at[1] {
				return nil, fmt.Errorf("nothing between %s and %s tells where one ends; want text between two names",
					text[at[0]:at[1]], text[next:places[i+1][1]])
			}
		}
		t.names = append(t.names, strings.Trim(text[at[0]:at[1]], "${}"))
		t.literals = append(t.literals, text[at[1]:next])
	}
	t.values = make([][]byte, len(t.names))
	t.request = slices.Index(t.names, "request")
	return t, nil
}

// requestParts are fields that a line with a request has as well.
var requestParts = []string{"method", "path"}

func (t *template) another() format {
	u := *t
	u.values = make([][]byte, len(t.values))
	return &u
}

func (t *template) has(name string) bool { _, err := t.column(name); return err == nil }

// column finds a name, or beyond the names a part of the request.
func (t *template) column(name string) (int, error) {
	name = strings.TrimPrefix(name, "$")
	if i := slices.Index(t.names, name); i >= 0 {
		return i, nil
	}
	if i := slices.Index(requestParts, name); i >= 0 && t.request >= 0 {
		return len(t.names) + i, nil
	}
	return 0, fmt.Errorf("%s is not in the template; %s", message.Quote(name), message.OneOf(name, t.names))
}

// cut gives each name the text up to the literal that follows it. Other text may precede the first literal, and the
// client where that is the first name, as containers and syslog write it.
func (t *template) cut(line []byte) error {
	lacks := func(text string) error {
		return fmt.Errorf("%s: no %s where the template has it; want lines as %s", message.Quote(line),
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
	return nil
}

func (t *template) value(column int) ([]byte, error) {
	if column >= len(t.names) {
		return requestPart(t.values[t.request], requestParts[column-len(t.names)]), nil
	}
	return t.values[column], nil
}
