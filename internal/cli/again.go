package cli

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Again is a command line that asks for the same: c, its arguments, and the flags that were given, without leaveOut.
// What a shell would change is quoted. Of an address, in which a password may be, only the scheme is left.
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

// shellWord quotes s for a POSIX shell, where that is needed.
func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
