package virtualtime

import "testing"

// Prelude returns the source of the prelude's parts that handle deadlines.
func Prelude() string { return preludeSource }

// SetPrelude sets another source for these parts until the test ends.
func SetPrelude(t testing.TB, text string) {
	before := preludeSource
	preludeSource = text
	t.Cleanup(func() { preludeSource = before })
}
