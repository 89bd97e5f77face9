package luavm

import (
	"maps"
	"math"
	"slices"
)

// Globals makes a table with the functions of Lua and its libraries coroutine, math, string and table.
func Globals() *Table {
	globals := NewLibrary(base())
	for name, functions := range map[string]map[string]Native{"coroutine": coroutines(), "math": maths(),
		"string": texts(), "table": tables()} {
		globals.SetName(name, NewLibrary(functions).Value())
	}
	numbers, texts := globals.GetName("math").Table(), globals.GetName("string").Table()
	numbers.SetName("huge", Number(math.Inf(1)))
	numbers.SetName("pi", Number(math.Pi))
	texts.SetName("gfind", texts.GetName("gmatch"))
	globals.SetName("next", next)
	globals.SetName("_VERSION", String("Lua 5.1"))
	return globals
}

// NewLibrary makes a table of functions. Their order in it is the same in every run.
func NewLibrary(functions map[string]Native) *Table {
	t := NewTable(0, len(functions))
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		t.SetName(name, NewFunction(functions[name]))
	}
	return t
}

// aborted ends a run, whatever the script catches.
type aborted struct{ err error }

// CannotError ends a run that needs something which this package cannot do as C does. Why is a reason after "because".
type CannotError struct{ Why string }

func (e *CannotError) Error() string { return "cannot decide, because " + e.Why }

// Abort ends the run with an error, which no script can catch. It does not return.
func Abort(err error) { panic(aborted{err}) }

// Settings configure a run.
type Settings struct {
	Globals *Table
	Texts   *Table       // the metatable of strings
	Name    string       // of the script, in the places of errors
	Stop    func() error // asked often; an error ends the run; nil: nothing ends it
	// Nested is how many calls of C wait for the script: of at most 200.
	Nested int
}

// Run runs a script. use gets its results, with the thread that has run it. The error is an *Error, or what was given
// to Abort.
func Run(script *Script, with Settings, use func(t *Thread, results []Value)) (err error) {
	m := &machine{with, map[*coroutine]bool{}}
	defer func() {
		for co := range m.waiting {
			co.end()
		}
	}()
	t := &Thread{machine: m, nested: with.Nested}
	defer func() {
		if r := recover(); r != nil {
			end, ok := r.(aborted)
			if !ok {
				panic(r)
			}
			err = end.err
		}
	}()
	if failed := t.protect(func() { use(t, t.run(&Function{proto: script.main}, nil)) }, nil); failed != nil {
		return failed
	}
	return nil
}
