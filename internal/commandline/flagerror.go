package commandline

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/message"
)

// wanted says, by the type of one of pflag's own flags, what its value is to be.
var wanted = map[string]string{"int": "a whole number", "int64": "a whole number", "float64": "a number",
	"bool": "true or false"}

// wants says what a flag's value is to be.
func wants(v pflag.Value) string {
	if own, ok := v.(interface{ Wanted() string }); ok {
		return own.Wanted()
	}
	if _, list := v.(pflag.SliceValue); list {
		return "names with commas between them, and no quotes"
	}
	return wanted[v.Type()]
}

// flagError puts what pflag objects to into our words.
func flagError(cmd *cobra.Command, err error) error {
	var (
		invalid *pflag.InvalidValueError
		unknown *pflag.NotExistError
		bare    *pflag.ValueRequiredError
	)
	switch {
	case errors.As(err, &invalid):
		flag := invalid.GetFlag()
		return Usage("--%s %s: want %s", flag.Name, message.Quote(invalid.GetValue()), wants(flag.Value))
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return Usage("-%s: no such flag; %s --help lists them", message.Bare(unknown.GetSpecifiedName()),
			cmd.CommandPath())
	case errors.As(err, &unknown):
		return Usage("--%s: no such flag; %s", message.Bare(unknown.GetSpecifiedName()),
			nearestFlag(cmd, unknown.GetSpecifiedName()))
	case errors.As(err, &bare):
		return Usage("--%s: needs a value", bare.GetFlag().Name)
	}
	return Usage("%s; %s --help lists the flags", strings.Join(strings.Fields(err.Error()), " "), cmd.CommandPath())
}

// renamed are flags that are no more, and those which say what was meant.
var renamed = map[string]string{"max-false-rejects": "max-shortfall", "max-false-admits": "max-excess"}

// nearestFlag suggests the flag that name is a slip of, or says where all are listed.
func nearestFlag(cmd *cobra.Command, name string) string {
	if now := renamed[name]; now != "" && cmd.Flags().Lookup(now) != nil {
		return fmt.Sprintf("--%s has taken its place", now)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near, ok := message.Nearest(name, names); ok {
		return fmt.Sprintf("did you mean --%s?", near)
	}
	return cmd.CommandPath() + " --help lists them"
}
