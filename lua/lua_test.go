package lua_test

import (
	"strings"
	"testing"

	"ratelab/lua"
)

// Every script is found under its algorithm's name, and the name of none is an error that says so.
func TestSource(t *testing.T) {
	source, err := lua.Source("gcra")
	if err != nil || !strings.HasPrefix(source, "-- gcra: ") {
		t.Errorf("%.20q, %v", source, err)
	}
	if _, err := lua.Source("gcar"); err == nil || err.Error() != "no script lua/gcar.lua" {
		t.Errorf("%v", err)
	}
}
