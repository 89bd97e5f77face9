package commandline

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Again is a command line that asks for the same: the program, its arguments, and the flags that were given, in
// alphabetical order, but those of leaveOut. What a shell would change is quoted, and of an address, in which a
// password may be, only the scheme is left.
func (g *Groups) Again(program string, args []string, leaveOut ...string) string {
	words := []string{program}
	for _, a := range args {
		words = append(words, shellWord(a))
	}
	g.all.VisitAll(func(f *pflag.Flag) {
		if f.Changed && !slices.Contains(leaveOut, f.Name) {
			words = append(words, flagWords(f)...)
		}
	})
	slices.Sort(words[1+len(args):])
	return strings.Join(words, " ")
}

// flagWords are --name value, once for each value of a list.
func flagWords(f *pflag.Flag) []string {
	if f.Value.Type() == "bool" {
		return []string{"--" + f.Name + "=" + f.Value.String()}
	}
	values := []string{f.Value.String()}
	if list, ok := f.Value.(pflag.SliceValue); ok {
		values = list.GetSlice()
	}
	var words []string
	for _, v := range values {
		words = append(words, "--"+f.Name+" "+shellWord(secretless(v)))
	}
	return words
}

func secretless(value string) string {
	if scheme, _, isURL := strings.Cut(value, "://"); isURL {
		return scheme + "://…"
	}
	return value
}

// shellWord quotes s for a POSIX shell, where that is needed.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("-_./:=,@%+…", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
