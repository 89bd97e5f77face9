package strictyaml

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"ratelab/internal/message"
)

// integerText is the one spelling of a whole number that is accepted. YAML alone would also take 0x10, 0o17, 1_000
// and 010, each of which somebody reads differently.
var integerText = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// Shown is v in a message.
func (v Value) Shown() string {
	switch {
	case v.Node.Kind == yaml.MappingNode:
		return "a mapping"
	case v.Node.Kind == yaml.SequenceNode:
		return "a list"
	case v.IsNull():
		return "nothing"
	case v.IsQuoted():
		return message.Quote(v.Node.Value) + " in quotes"
	}
	return message.Quote(v.Node.Value)
}

// IsNull reports whether v is null, ~ or nothing at all.
func (v Value) IsNull() bool { return v.Node.Kind == yaml.ScalarNode && v.Node.Tag == "!!null" }

// IsQuoted reports whether v is text in quotes or a block of text.
func (v Value) IsQuoted() bool {
	return v.Node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

// IsNumber reports whether v is an unquoted number.
func (v Value) IsNumber() bool {
	return v.Node.Kind == yaml.ScalarNode && (v.Node.Tag == "!!int" || v.Node.Tag == "!!float")
}

// IsText reports whether v is a scalar that is neither nothing nor a number nor a truth value.
func (v Value) IsText() bool {
	return v.Node.Kind == yaml.ScalarNode && (v.Node.Tag == "!!str" || v.Node.Tag == "!!timestamp")
}

// Integer reads a whole number within min to max, in plain decimal.
func (v Value) Integer(min, max int64) (int64, bool) {
	want := fmt.Sprintf("want a whole number from %d to %d", min, max)
	if !v.IsNumber() || v.IsQuoted() || !integerText.MatchString(v.Node.Value) {
		v.Bad("%s is not a whole number; %s", v.Shown(), want)
		return 0, false
	}
	n, err := strconv.ParseInt(v.Node.Value, 10, 64)
	if err != nil || n < min || n > max {
		v.Bad("%s is out of range; %s", message.Bare(v.Node.Value), want)
		return 0, false
	}
	return n, true
}

// Text reads a line of text of 1 to most characters that neither begins nor ends with a blank.
func (v Value) Text(want string, most int) (string, bool) {
	s := v.Node.Value
	switch {
	case !v.IsText():
		v.Bad("%s is not text; want %s", v.Shown(), want)
	case s == "" || utf8.RuneCountInString(s) > most:
		v.Bad("%d characters; want %s of 1 to %d characters", utf8.RuneCountInString(s), want, most)
	case strings.ContainsFunc(s, message.IsControl):
		v.Bad("%s has control characters; want %s on one line", v.Shown(), want)
	case strings.TrimSpace(s) != s:
		v.Bad("%s begins or ends with a blank; want %s", v.Shown(), want)
	default:
		return s, true
	}
	return "", false
}

// Choice reads one of a few words.
func (v Value) Choice(words ...string) (string, bool) {
	word := ""
	if v.IsText() {
		word = v.Node.Value
	}
	if slices.Contains(words, word) {
		return word, true
	}
	v.Bad("%s; %s", v.Shown(), message.OneOf(word, words))
	return "", false
}
