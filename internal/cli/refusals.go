package cli

import (
	"cmp"
	_ "embed"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/message"
)

// strict makes c refuse a flag with an empty value, which a shell script passes if a variable is not set. It sets began
// when c's own work begins: errors of cobra before that are mistakes in the call.
func strict(c *cobra.Command, began *bool) {
	do := c.RunE
	if do == nil {
		return
	}
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		*began = true
		c.Flags().Visit(func(f *pflag.Flag) {
			list, isList := f.Value.(pflag.SliceValue)
			if f.Value.String() == "" || isList && slices.Contains(list.GetSlice(), "") {
				err = Usage("--%s: an empty value; give one, or leave the flag out", f.Name)
			}
		})
		if err != nil {
			return err
		}
		return do(c, args)
	}
}

// refused formats an error of cobra as one line.
func refused(c *cobra.Command, err error) error {
	oneLine := strings.NewReplacer("\n\nDid you mean this?\n\t", "; did you mean ", "\n\t", ", ", "\n", "")
	return Usage("%s; %s --help says more", message.Visible(oneLine.Replace(err.Error())), c.CommandPath())
}

// knownCommand is for the command help. It refuses words that are not a command.
func knownCommand(c *cobra.Command, args []string) error {
	known := func(sub *cobra.Command) bool { return len(args) == 0 || sub.Name() == args[0] }
	if !slices.ContainsFunc(c.Root().Commands(), known) {
		return Usage("help %s: no such command; %s --help lists them", message.Bare(args[0]), c.Root().Name())
	}
	return nil
}

// wanted describes the valid values of pflag's own types of flags.
var wanted = map[string]string{"bool": "true or false", "float64": "a number", "int64": "a whole number"}

// flagError rewrites an error of pflag in the style of this program.
func flagError(c *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		return Usage("--%s %s: want %s", f.Name, message.Quote(invalid.GetValue()),
			cmp.Or(wanted[f.Value.Type()], errors.Unwrap(invalid).Error()))
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		flag := "--" + name
		if unknown.GetSpecifiedShortnames() != "" {
			flag = flag[1:]
		}
		if err := removed(c.CommandPath(), flag); err != nil {
			return err
		}
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near, ok := message.Nearest(name, names); ok && flag[1] == '-' {
			return Usage("%s: no such flag; did you mean --%s?", message.Bare(flag), near)
		}
		return Usage("%s: no such flag; %s --help lists them", message.Bare(flag), c.CommandPath())
	}
	return refused(c, err)
}

// removedNames has a line for each removed command and flag: its name, and what to use instead. A command is preceded
// by its program. A flag is preceded by its command, unless it meant the same in all commands.
//
//go:embed removed.txt
var removedNames string

// removed returns an error about a removed name, of one command or of all.
func removed(command, name string) error {
	for line := range strings.Lines(removedNames) {
		gone, instead, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if gone == name || gone == command+" "+name {
			return Usage("%s was removed: %s", name, instead)
		}
	}
	return nil
}
