//go:build !browser

package page

import (
	"os"
	"testing"
)

// TestInABrowser says what is missing. The driver of the browser is sixty packages to compile, which `go test ./...`
// does without.
func TestInABrowser(t *testing.T) {
	if os.Getenv("REQUIRE_BROWSER") == "1" {
		t.Fatal("REQUIRE_BROWSER is 1, and the tests in a browser are not in this binary; say -tags browser")
	}
	t.Skip("the tests in a browser are built with -tags browser")
}
