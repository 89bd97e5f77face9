package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/wording"
)

// wanted says, by the type of a flag, what its value is to be.
var wanted = map[string]string{"int64": "a whole number", "float64": "a number", "bool": "true or false"}

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
		want := wanted[flag.Value.Type()]
		if want == "" {
			want = seedWanted
		}
		if _, list := flag.Value.(pflag.SliceValue); list {
			want = "names with commas between them, and no quotes"
		}
		return usage("--%s %q: want %s", flag.Name, invalid.GetValue(), want)
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return usage("-%s: no such flag; simulate --help lists them", unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		return usage("--%s: no such flag; %s", wording.Bare(unknown.GetSpecifiedName()), nearestFlag(cmd, unknown.GetSpecifiedName()))
	case errors.As(err, &bare):
		return usage("--%s: needs a value", bare.GetFlag().Name)
	}
	return usage("%s; simulate --help lists the flags", strings.Join(strings.Fields(err.Error()), " "))
}

// nearestFlag suggests the flag that name is a slip of, or says where all are listed.
func nearestFlag(cmd *cobra.Command, name string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near, ok := wording.Nearest(name, names); ok {
		return fmt.Sprintf("did you mean --%s?", near)
	}
	return cmd.CommandPath() + " --help lists them"
}
