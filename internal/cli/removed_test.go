package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Every name in the table is answered with one line, which says what to do instead.
func TestARemovedNameIsAnsweredWithOneLine(t *testing.T) {
	for line := range strings.Lines(removedNames) {
		name, instead, _ := strings.Cut(line, ": ")
		words := strings.Fields(name)
		if strings.HasPrefix(words[0], "-") {
			words = append([]string{"simulate"}, words...)
		}
		root := &cobra.Command{Use: words[0], Args: cobra.ArbitraryArgs,
			RunE: func(*cobra.Command, []string) error { return nil }}
		if len(words) == 3 {
			root.AddCommand(&cobra.Command{Use: words[1], RunE: root.RunE})
		}
		var out bytes.Buffer
		code := Run(t.Context(), words[1:], Streams{Stdout: &out, Stderr: &out},
			func(Streams) *cobra.Command { return root })
		if code != ExitUsage || !strings.HasSuffix(out.String(), " was removed: "+instead) ||
			strings.Count(out.String(), "\n") != 1 {
			t.Errorf("%s: exit %d, %q", name, code, out.String())
		}
	}
}
