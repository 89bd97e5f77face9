package virtualtime

import "testing"

// Prelude is the text of the prelude's parts that keep deadlines.
func Prelude() string { return preludeSource }

// SetPrelude has wrappers made with another prelude until the test ends.
func SetPrelude(t testing.TB, text string) {
	before := preludeSource
	preludeSource = text
	t.Cleanup(func() { preludeSource = before })
}
