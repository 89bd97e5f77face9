package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"ratelab/internal/message"
)

// SchemaCommand prints one of some JSON Schemas by its name, the first of names unless told otherwise.
func (s Streams) SchemaCommand(short string, names []string, schemas map[string][]byte) *cobra.Command {
	return &cobra.Command{
		Use:       "schema [NAME]",
		Short:     short,
		Long:      short + ". NAME is " + message.OneOf("", names)[len("want "):] + ".",
		ValidArgs: names,
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		RunE: func(_ *cobra.Command, args []string) error {
			_, err := s.Stdout.Write(schemas[append(args, names[0])[0]])
			return err
		},
	}
}

// knownCommand is for help, which refuses words that are no command.
func knownCommand(c *cobra.Command, args []string) error {
	known := func(sub *cobra.Command) bool { return len(args) == 0 || sub.Name() == args[0] }
	if !slices.ContainsFunc(c.Root().Commands(), known) {
		return Usage("help %s: no such command; %s --help lists them", message.Bare(args[0]), c.Root().Name())
	}
	return nil
}
