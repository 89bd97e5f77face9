package luavm

import (
	"maps"
	"math"
	"slices"
)

// Globals makes a table with Lua's base functions and the libraries coroutine, math, string and table.
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

// NewLibrary makes a table of functions. Their order in the table is the same in every run.
func NewLibrary(functions map[string]Native) *Table {
	t := NewTable(0, len(functions))
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		t.SetName(name, NewFunction(functions[name]))
	}
	return t
}

// aborted is the panic that ends a run. No script can catch it.
type aborted struct{ err error }

// CannotError ends a run that needs a feature which this package cannot reproduce exactly. Why completes "because …".
type CannotError struct{ Why string }

func (e *CannotError) Error() string { return "cannot decide, because " + e.Why }

// Abort ends the run with an error that no script can catch. It does not return.
func Abort(err error) { panic(aborted{err}) }

// Settings configure a run.
type Settings struct {
	Globals *Table
	Texts   *Table       // the metatable of strings
	Name    string       // of the script, in error messages
	Stop    func() error // called often; an error ends the run; nil: never ends it
	// Nested is the number of C calls that are already in progress when the script starts. The limit is 200.
	Nested int
}

// Run runs a script. It hands the results to use, with the thread that ran the script. The error is an *Error, or the
// error given to Abort.
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
