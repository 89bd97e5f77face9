package commandline

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ratelab/internal/message"
)

// helpWidth is how wide the help is: it is read in editors and bug reports too, so the terminal is not asked.
const helpWidth = 100

// Help is a command's help below its description: commands first, then flags by what they are for, then the
// closing words. What a command has none of is left out; groups may be nil.
func Help(c *cobra.Command, groups *Groups, closing string) {
	plain := c.UsageFunc()
	c.SetUsageFunc(func(name *cobra.Command) error {
		if name != c {
			return plain(name)
		}
		return Print(name.OutOrStderr(), usageText(c, groups, closing))
	})
}

func usageText(c *cobra.Command, groups *Groups, closing string) string {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if c.Runnable() {
		fmt.Fprintf(&b, "  %s\n", c.UseLine())
	}
	if commands := c.CommandPath() + " COMMAND"; c.HasAvailableSubCommands() && commands != c.UseLine() {
		fmt.Fprintf(&b, "  %s\n", commands)
	}
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			fmt.Fprintf(&b, "  %-12s%s\n", sub.Name(), sub.Short)
		}
	}
	if groups != nil {
		for _, g := range groups.groups {
			fmt.Fprintf(&b, "\n%s:\n%s", g.title, g.flags.FlagUsagesWrapped(helpWidth))
		}
	}
	if closing != "" {
		b.WriteString("\n" + closing)
	}
	return b.String()
}

// StrictHelp lets help and completion refuse words that they do not know; cobra's own exit 0.
func StrictHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				if found, rest, err := root.Find(args); err != nil || len(rest) > 0 || found == nil {
					return Usage("help %s: no such command; %s --help lists them",
						message.Bare(strings.Join(args, " ")), root.Name())
				}
				return nil
			}
		case "completion":
			c.Args = cobra.ArbitraryArgs
			c.RunE = func(c *cobra.Command, args []string) error {
				return Usage("completion %s: want one of bash, zsh, fish, powershell",
					message.Quote(strings.Join(args, " ")))
			}
		}
	}
}

// NoArguments refuses arguments in our own words.
func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usage("%s takes no arguments, got %s", cmd.Name(), message.Quote(args[0]))
	}
	return nil
}

// SchemaCommand prints one of some JSON Schemas by its name, the first of names unless told otherwise.
func SchemaCommand(s Streams, short string, names []string, schemas map[string][]byte) *cobra.Command {
	return &cobra.Command{
		Use:       "schema [" + strings.Join(names, "|") + "]",
		Short:     short,
		ValidArgs: names,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && schemas[args[0]] == nil {
				return Usage("schema %s: want %s", message.Bare(strings.Join(args, " ")), orList(names))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			name := names[0]
			if len(args) == 1 {
				name = args[0]
			}
			return Print(s.Stdout, string(schemas[name]))
		},
	}
}

// orList is "a, b or c".
func orList(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
