package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ratelab/internal/limit"
)

// Value is a flag value of any type. Set leaves it unchanged if parse refuses the text.
type Value[T any] struct {
	Value T
	want  string // describes the valid values in messages
	parse func(text string) (v T, ok bool)
	show  func(T) string
}

func (v *Value[T]) String() string { return v.show(v.Value) }

// Type implements pflag.Value.
func (v *Value[T]) Type() string { return "value" }

// Set implements pflag.Value.
func (v *Value[T]) Set(text string) error {
	parsed, ok := v.parse(text)
	if !ok {
		return errors.New(v.want)
	}
	v.Value = parsed
	return nil
}

// Count returns a flag for an integer from least to most.
func Count[N int | int64](value, least, most N) Value[N] {
	return Value[N]{value, fmt.Sprintf("a whole number from %d to %d", least, most), func(text string) (N, bool) {
		n, err := strconv.ParseInt(text, 10, strconv.IntSize)
		return N(n), err == nil && int64(least) <= n && n <= int64(most)
	}, func(n N) string { return strconv.FormatInt(int64(n), 10) }}
}

// Duration returns a flag for a duration from least to most. The help shows no default that is less than least.
func Duration(value, least, most time.Duration) Value[time.Duration] {
	want := fmt.Sprintf("a time from %s to %s, such as 500ms, 2s or 1m", limit.FormatDuration(least),
		limit.FormatDuration(most))
	return Value[time.Duration]{value, want, func(text string) (time.Duration, bool) {
		d, err := limit.ParseDuration(text)
		return d, err == nil && least <= d && d <= most
	}, func(d time.Duration) string {
		if d < least {
			return ""
		}
		return limit.FormatDuration(d)
	}}
}

// Seed returns a flag for a seed. Its value is nil if the flag was not given.
func Seed() Value[*uint64] {
	want := fmt.Sprintf("a whole number from 0 to %d", limit.MaxExact)
	return Value[*uint64]{nil, want, func(text string) (*uint64, bool) {
		n, err := strconv.ParseUint(text, 10, 64)
		return &n, err == nil && fmt.Sprint(n) == text && n <= uint64(limit.MaxExact)
	}, func(n *uint64) string {
		if n == nil {
			return ""
		}
		return fmt.Sprint(*n)
	}}
}

// Words returns a flag for a comma-separated subset of all.
func Words(all []string) Value[[]string] {
	return Value[[]string]{nil, "some of " + strings.Join(all, ", "), func(text string) ([]string, bool) {
		list := Split([]string{text})
		return list, !slices.ContainsFunc(list, func(word string) bool { return !slices.Contains(all, word) })
	}, func(list []string) string { return strings.Join(list, ",") }}
}

// Word returns a flag for one of several words.
func Word(value string, words []string) Value[string] {
	return Value[string]{value, "one of " + strings.Join(words, ", "), func(text string) (string, bool) {
		return text, slices.Contains(words, text)
	}, func(word string) string { return word }}
}

// Split splits the values of a flag that may be repeated and may contain commas.
func Split(given []string) (all []string) {
	for _, text := range given {
		for word := range strings.SplitSeq(text, ",") {
			all = append(all, strings.TrimSpace(word))
		}
	}
	return all
}

// Complete lets a shell complete words for a flag of c. For lists, it also completes after a comma.
func Complete[T ~string](c *cobra.Command, flag string, words []T) {
	offer := func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		done := typed[:strings.LastIndexByte(typed, ',')+1]
		var all []string
		for _, word := range words {
			w := string(word)
			if strings.HasPrefix(done+w, typed) && (!strings.Contains(w, ":") || strings.Contains(typed, ":")) {
				all = append(all, done+w)
			}
		}
		if strings.ContainsAny(typed, ",:") {
			return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	}
	if err := c.RegisterFlagCompletionFunc(flag, offer); err != nil {
		panic(err) // cannot fail, unless c has no such flag
	}
}
