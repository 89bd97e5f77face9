package cli

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Again returns a command line that repeats c: its arguments, and the flags that were given, without leaveOut. Words
// are quoted for a shell if needed. Addresses of servers are reduced to their scheme, because they may contain a
// password.
func Again(c *cobra.Command, args []string, leaveOut ...string) string {
	words := []string{c.CommandPath()}
	for _, a := range args {
		words = append(words, shellWord(a))
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			if scheme, _, isURL := strings.Cut(v, "://"); isURL {
				v = scheme + "://…"
			}
			switch {
			case slices.Contains(leaveOut, f.Name):
			case f.Value.Type() == "bool":
				words = append(words, "--"+f.Name+"="+v)
			default:
				words = append(words, "--"+f.Name, shellWord(v))
			}
		}
	})
	return strings.Join(words, " ")
}

var plainWord = regexp.MustCompile(`^[-\w./:=,@%+…]+$`)

// shellWord quotes s for a POSIX shell if needed.
func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
