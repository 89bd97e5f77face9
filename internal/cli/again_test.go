package cli

import (
	"testing"

	"github.com/spf13/cobra"
)

// The command that a page names asks for the same: quoted for a shell, in one order, without what only says where
// the output goes, and without a password.
func TestAgain(t *testing.T) {
	var algorithms []string
	c := &cobra.Command{Use: "simulate"}
	c.Flags().String("redis", "embedded", "")
	c.Flags().StringArrayVar(&algorithms, "algorithms", nil, "")
	c.Flags().String("out", "", "")
	c.Flags().Bool("confirm", false, "")
	if got := Again(c, nil); got != "simulate" {
		t.Errorf("nothing given: %s", got)
	}
	if err := c.ParseFlags([]string{"--redis", "redis://me:secret@host/0", "--out", "x", "--algorithms", "gcra",
		"--algorithms", "gcra:burst=2", "--confirm"}); err != nil {
		t.Fatal(err)
	}
	got := Again(c, []string{"poisson", "it's mine.yaml", ""}, "out")
	want := `simulate poisson 'it'\''s mine.yaml' '' --algorithms gcra --algorithms gcra:burst=2 --confirm=true --redis redis://…`
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
