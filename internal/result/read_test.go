package result_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ratelab/internal/result"
)

// least is the least document of a form and version.
func least(f result.Form, version int) string {
	program, _, _ := strings.Cut(f.Of, " ")
	head := fmt.Sprintf(`{"schema_version": %d, "tool": {"name": %q, "version": "1"}`, version, program)
	if f.Kind != "" {
		return head + fmt.Sprintf(`, "kind": %q}`, f.Kind)
	}
	return head + fmt.Sprintf(`, %q: []}`, f.Field)
}

func saved(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Every form is told from every other, and a version that is not this program's is refused by its name.
func TestFormsAreTold(t *testing.T) {
	var rest map[string]any
	for _, f := range result.Forms() {
		err := result.Read(saved(t, f.File, least(f, f.Version)), f, &rest)
		switch {
		case f.Sealed && (err == nil ||
			!strings.Contains(err.Error(), ": it was edited or damaged: it has no checksum; take the file as ")):
			t.Errorf("%s without a checksum: %v", f, err)
		case !f.Sealed && err != nil:
			t.Errorf("%s: %v", f, err)
		}
		for _, other := range result.Forms() {
			if other == f {
				continue
			}
			err := result.Read(saved(t, f.File, least(f, f.Version)), other, &rest)
			if want := fmt.Sprintf(": is %s; want %s", f, other); err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s for %s: %v", f, other, err)
			}
		}
		for _, version := range []int{f.Version - 1, f.Version + 1} {
			err := result.Read(saved(t, f.File, least(f, version)), f, &rest)
			if want := fmt.Sprintf(": is %s with schema_version %d, where this program reads %d; ", f, version,
				f.Version); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %s", f, err, want)
			}
		}
	}
}

// A folder stands for the file in it.
func TestAFolderIsItsFile(t *testing.T) {
	var rest map[string]any
	path := saved(t, result.Recommendation.File, least(result.Recommendation, result.Recommendation.Version))
	if err := result.Read(filepath.Dir(path), result.Recommendation, &rest); err != nil {
		t.Error(err)
	}
	if err := result.Read(t.TempDir(), result.Simulation, &rest); err == nil ||
		!strings.HasSuffix(err.Error(), "result.json: no such file; want a result.json of simulate") {
		t.Error(err)
	}
}
