package commandlinetest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// canary is the password of MistypedServers.
const canary = "C4n4ryPw"

// MistypedServers are addresses with a password, and a slip of the pen. Nothing listens where they lead.
var MistypedServers = []string{
	"redis//u:C4n4ryPw@127.0.0.1:1", "redis:/u:C4n4ryPw@127.0.0.1:1", "redis:u:C4n4ryPw@127.0.0.1:1", "u:C4n4ryPw@127.0.0.1:1",
	"container=redis://x:C4n4ryPw@127.0.0.1:1", "process=redis://x:C4n4ryPw@127.0.0.1:1",
	"container=u:C4n4ryPw@127.0.0.1:1", "process=u:C4n4ryPw@127.0.0.1:1", "container=x:C4n4ryPw@sha256:12",
	"redis;//u:C4n4ryPw@127.0.0.1:1", "REDIS://u:C4n4ryPw@127.0.0.1:1", " redis://u:C4n4ryPw@127.0.0.1:1", "=redis://u:C4n4ryPw@127.0.0.1:1",
	"redis=redis://u:C4n4ryPw@127.0.0.1:1", "http://u:C4n4ryPw@127.0.0.1:1", "redis://u:C4n4ryPw", "redis://C4n4ryPw@127.0.0.1:99999",
	"redis://u:C4n4ryPw?x@127.0.0.1:1", "redis://u:x?C4n4ryPw@127.0.0.1:1", "redis://u:C4n4ryPw#x@127.0.0.1:1", "redis://u:C4n4ryPw/x@127.0.0.1:1",
	"redis://127.0.0.1:1?password=C4n4ryPw", "unix://u:C4n4ryPw@nowhere", "redis://u:C4n4ryPw@127.0.0.1:1", "default:C4n4ryPw@127.0.0.1",
	"redis:\\\\u:C4n4ryPw@127.0.0.1:1", "redis://u:C4n4ryPw\x1b@127.0.0.1:1",
}

// KeepsThePassword fails the test where a call shows the password of MistypedServers: printed, or in a file below dir.
func KeepsThePassword(t *testing.T, call []string, stdout, stderr, dir string) {
	t.Helper()
	for name, text := range map[string]string{"standard output": stdout, "standard error": stderr} {
		if strings.Contains(text, canary) {
			t.Errorf("%q: the password is on %s: %s", call, name, text)
		}
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(path+string(data), canary) {
			t.Errorf("%q: the password is in %s", call, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
