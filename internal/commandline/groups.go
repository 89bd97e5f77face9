package commandline

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/message"
)

// Groups are the flags of a command under the headings of its help.
type Groups struct {
	all    *pflag.FlagSet
	groups []group
}

type group struct {
	title string
	flags *pflag.FlagSet
}

// NewGroups are the groups of c's flags, none so far.
func NewGroups(c *cobra.Command) *Groups {
	c.Flags().SortFlags = false
	return &Groups{all: c.Flags()}
}

// Add registers some flags under a heading.
func (g *Groups) Add(title string, register func(*pflag.FlagSet)) {
	set := pflag.NewFlagSet(title, pflag.ContinueOnError)
	set.SortFlags = false
	register(set)
	set.VisitAll(func(f *pflag.Flag) {
		if list, ok := f.Value.(listValue); ok {
			f.Value = &watchedList{listValue: list}
			f.DefValue = strings.Trim(f.DefValue, "[]") // else help would show that there is none
		}
	})
	g.groups = append(g.groups, group{title, set})
	g.all.AddFlagSet(set)
}

// Given reports whether a flag stands on the command line.
func (g *Groups) Given(name string) bool { return g.all.Changed(name) }

// FirstGiven is the first flag on the command line, in alphabetical order, that is so; "" if none is.
func (g *Groups) FirstGiven(so func(name string) bool) string {
	found := ""
	g.all.Visit(func(f *pflag.Flag) {
		if found == "" && so(f.Name) {
			found = f.Name
		}
	})
	return found
}

// listValue is the value of a flag that may be given several times.
type listValue interface {
	pflag.Value
	pflag.SliceValue
}

// watchedList remembers that one of the times nothing was given, which leaves no trace in the list.
type watchedList struct {
	listValue
	nothing bool
}

// Set implements pflag.Value.
func (l *watchedList) Set(text string) error {
	l.nothing = l.nothing || strings.TrimSpace(text) == ""
	return l.listValue.Set(text)
}

// empty reports whether the list has, or was once given, nothing.
func (l *watchedList) empty() bool {
	return l.nothing || slices.ContainsFunc(l.GetSlice(), func(s string) bool { return strings.TrimSpace(s) == "" })
}

// Empty refuses a flag that was given without a value, as a script does whose variable is not set.
func (g *Groups) Empty() error {
	var err error
	g.all.Visit(func(given *pflag.Flag) {
		list, isList := given.Value.(*watchedList)
		value := strings.Trim(given.Value.String(), "[]")
		if isList && list.nothing {
			value = "" // what else was given is no mistake
		}
		if isList && list.empty() || given.Value.String() == "" {
			err = Usage("--%s %s: an empty value; give one, or leave the flag out", given.Name, message.Quote(value))
		}
	})
	return err
}

// Complete lets a shell complete the values of flags: of a list each of its elements, and of one with a colon, as in
// gcra:burst=, only once that is typed. A flag that is not registered panics.
func (g *Groups) Complete(c *cobra.Command, values map[string][]string) {
	for name, words := range values {
		_, isList := c.Flag(name).Value.(*watchedList)
		offer := func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			done := ""
			if isList {
				done = typed[:strings.LastIndexByte(typed, ',')+1]
			}
			var all []string
			for _, w := range words {
				if strings.HasPrefix(w, typed[len(done):]) &&
					(!strings.Contains(w, ":") || strings.Contains(typed[len(done):], ":")) {
					all = append(all, done+w)
				}
			}
			if isList {
				return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
			}
			return all, cobra.ShellCompDirectiveNoFileComp
		}
		if err := c.RegisterFlagCompletionFunc(name, offer); err != nil {
			panic(err)
		}
	}
}

// texts are the values of a string type as strings.
func texts[T ~string](values []T) []string {
	var all []string
	for _, v := range values {
		all = append(all, string(v))
	}
	return all
}
