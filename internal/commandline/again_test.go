package commandline

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The command that a page names asks for the same: quoted for a shell, in one order, without what only says where
// the output goes, and without a password.
func TestAgain(t *testing.T) {
	var algorithms []string
	var redis, out string
	var long bool
	c := &cobra.Command{Use: "simulate"}
	g := NewGroups(c)
	g.Add("all", func(fs *pflag.FlagSet) {
		fs.StringVar(&redis, "redis", "embedded", "")
		fs.StringSliceVar(&algorithms, "algorithms", nil, "")
		fs.StringVar(&out, "out", "", "")
		fs.BoolVar(&long, "long-real", false, "")
	})
	if err := c.ParseFlags([]string{"--redis", "redis://me:secret@host/0", "--out", "x", "--algorithms",
		"gcra,gcra:burst=2", "--long-real"}); err != nil {
		t.Fatal(err)
	}
	got := g.Again("simulate", []string{"poisson", "it's mine.yaml", ""}, "out")
	want := `simulate poisson 'it'\''s mine.yaml' '' --algorithms gcra --algorithms gcra:burst=2 --long-real=true --redis redis://…`
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := NewGroups(&cobra.Command{}).Again("simulate", nil); got != "simulate" {
		t.Errorf("nothing given: %s", got)
	}
}
