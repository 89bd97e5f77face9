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

// integerText matches the only accepted form of an integer. YAML would also accept 0x10, 0o17, 1_000 and 010, which
// people read in different ways.
var integerText = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// Shown formats v for messages.
func (v Value) Shown() string {
	switch {
	case v.IsMapping():
		return "a mapping"
	case v.IsList():
		return "a list"
	case !v.Given(), v.IsNull():
		return "nothing"
	case v.IsQuoted():
		return message.Quote(v.Node.Value) + " in quotes"
	}
	return message.Quote(v.Node.Value)
}

// IsMapping reports whether v has fields.
func (v Value) IsMapping() bool { return v.Given() && v.Node.Kind == yaml.MappingNode }

// IsList reports whether v is a sequence.
func (v Value) IsList() bool { return v.Given() && v.Node.Kind == yaml.SequenceNode }

// tagged reports whether v is a scalar with one of the tags that YAML gives to plain text.
func (v Value) tagged(tags ...string) bool {
	return v.Given() && v.Node.Kind == yaml.ScalarNode && slices.Contains(tags, v.Node.Tag)
}

// IsNull reports whether v is null, ~ or empty.
func (v Value) IsNull() bool { return v.tagged("!!null") }

// IsNumber reports whether v is an unquoted number.
func (v Value) IsNumber() bool { return v.tagged("!!int", "!!float") }

// IsTruth reports whether v is true or false.
func (v Value) IsTruth() bool { return v.tagged("!!bool") }

// IsText reports whether v is a scalar that is not null, a number or a bool.
func (v Value) IsText() bool { return v.tagged("!!str", "!!timestamp") }

// IsQuoted reports whether v is text in quotes or a block of text.
func (v Value) IsQuoted() bool {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return v.Given() && v.Node.Style&quoted != 0
}

// Integer reads an integer from least to most, in plain decimal.
func (v Value) Integer(into *int64, least, most int64) bool {
	want := fmt.Sprintf("want a whole number from %d to %d", least, most)
	if !v.IsNumber() || v.IsQuoted() || !integerText.MatchString(v.Node.Value) {
		return v.Bad("%s is not a whole number; %s", v.Shown(), want)
	}
	n, err := strconv.ParseInt(v.Node.Value, 10, 64)
	if err != nil || n < least || n > most {
		return v.Bad("%s is out of range; %s", message.Bare(v.Node.Value), want)
	}
	*into = n
	return true
}

// Text reads one line of text with 1 to most characters, without blanks at the beginning or the end.
func (v Value) Text(into *string, want string, most int) bool {
	if !v.IsText() {
		return v.Bad("%s is not text; want %s", v.Shown(), want)
	}
	switch s := v.Node.Value; {
	case s == "" || utf8.RuneCountInString(s) > most:
		return v.Bad("%d characters; want %s of 1 to %d characters", utf8.RuneCountInString(s), want, most)
	case strings.ContainsFunc(s, message.IsControl):
		return v.Bad("%s has control characters; want %s on one line", v.Shown(), want)
	case strings.TrimSpace(s) != s:
		return v.Bad("%s begins or ends with a blank; want %s", v.Shown(), want)
	}
	*into = v.Node.Value
	return true
}

// Choice reads one of a few words.
func Choice[T ~string](v Value, into *T, words []T) bool {
	word := T("")
	if v.IsText() {
		word = T(v.Node.Value)
	}
	if slices.Contains(words, word) {
		*into = word
		return true
	}
	return v.Bad("%s; %s", v.Shown(), message.OneOf(string(word), words))
}
