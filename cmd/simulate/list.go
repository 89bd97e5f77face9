package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ratelab/algorithms"
	"ratelab/internal/commandline"
	"ratelab/internal/sequence"
	"ratelab/scenarios"
)

// list shows what there is to choose from.
func (a *app) list() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "Show the algorithms with their parameters, and the built-in scenarios",
		Args:  commandline.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			text, err := listing()
			if err != nil {
				return err
			}
			return commandline.Println(a.Stdout, text)
		},
	}
}

func listing() (string, error) {
	all, err := scenarios.Builtin()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("Algorithms\n")
	for _, spec := range algorithms.All() {
		fmt.Fprintf(&b, "\n  %s (%s)\n", spec.Name, spec.Family)
		fmt.Fprintf(&b, "    %s\n", spec.Rule)
		if spec.Bound != "" {
			fmt.Fprintf(&b, "    bound: %s\n", spec.Bound)
		}
		for _, p := range spec.Parameters {
			fmt.Fprintf(&b, "    :%s=%s  (default %s) %s\n", p.Name, strings.ToUpper(fmt.Sprint(p.Kind)), p.Default, p.Doc)
		}
	}
	listSequences(&b)
	b.WriteString("\nScenarios\n\n")
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range all {
		fmt.Fprintf(t, "  %s\t%s\t%s\n", s.Name, s.Limit, s.Question)
	}
	err = t.Flush()
	return strings.TrimRight(b.String(), "\n"), err
}

// listSequences shows what a scenario may name in its field sequences.
func listSequences(b *strings.Builder) {
	b.WriteString("\nSequences of commands without a script, which a scenario names in sequences: […]\n")
	for _, spec := range sequence.All() {
		fmt.Fprintf(b, "\n  %s\n    %s\n    danger: %s\n", spec.Name, spec.Rule, spec.Danger)
		for _, p := range spec.Parameters {
			fmt.Fprintf(b, "    :%s=%s  (default %s) %s\n", p.Name, p.Kind(), p.Usual(), p.Doc)
		}
	}
}
