package cli

import (
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// Each kind of value takes what it says that it wants, and is as it was after what it refuses.
func TestValues(t *testing.T) {
	count, seed := Count(5, 1, 10), Seed()
	span, word := Duration(time.Second, 10*time.Millisecond, time.Hour), Word("csv", []string{"csv", "json"})
	for _, c := range []struct {
		value       pflag.Value
		good, shown string
		bad         []string
	}{
		{&count, "10", "10", []string{"0", "11", "-1", "1.5", "1e1", "", "ten", "99999999999999999999"}},
		{&span, "90s", "1m30s", []string{"", "0", "5", "1ms", "2h", "-1s", "1parsec", "NaN"}},
		{&seed, "9007199254740992", "9007199254740992", []string{"", "-1", "+1", "01", "1.5", "9007199254740993"}},
		{&word, "json", "json", []string{"", "xml", "JSON"}},
	} {
		if err := c.value.Set(c.good); err != nil || c.value.String() != c.shown {
			t.Errorf("%s: %v, %s; want %s", c.good, err, c.value, c.shown)
		}
		for _, text := range c.bad {
			if err := c.value.Set(text); err == nil || c.value.String() != c.shown {
				t.Errorf("%T took %q: it is %s now, %v", c.value, text, c.value, err)
			}
		}
	}
}
