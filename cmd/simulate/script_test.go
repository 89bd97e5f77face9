package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata/*.txtar: read the difference before committing it")

// The test's binary is the program too, for the scripts below testdata.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"simulate": main})
}

// Each script is a story told with the commands below. Those that need a redis-server skip where there is none, and
// fail under REQUIRE_REDIS=1.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: *update,
		Condition:     condition,
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"REDIS_PASSWORD", "REDISCLI_AUTH", "REDIS_SERVER", "REDIS_IMAGE", "NO_COLOR"} {
				env.Setenv(name, "")
			}
			env.Values[backgroundKey{}] = map[string]*background{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"run":      runCmd,
			"refusals": refusalsCmd,
			"head":     headCmd,
			"start":    startCmd,
			"signal":   signalCmd,
			"ended":    endedCmd,

			"redis":     redisCmd,
			"do":        doCmd,
			"keyspace":  keyspaceCmd,
			"await":     awaitCmd,
			"http":      httpCmd,
			"same":      sameCmd,
			"gzip":      gzipCmd,
			"truncate":  truncateCmd,
			"repeat":    repeatCmd,
			"noise":     noiseCmd,
			"replace":   replaceCmd,
			"executes":  executesCmd,
			"listfiles": listFilesCmd,
		},
	})
}

func condition(name string) (bool, error) {
	switch name {
	case "root":
		return os.Geteuid() == 0, nil
	case "redis":
	default:
		return false, fmt.Errorf("no such condition")
	}
	_, err := exec.LookPath("redis-server")
	if err != nil && os.Getenv("REQUIRE_REDIS") == "1" {
		return false, fmt.Errorf("REQUIRE_REDIS=1, but %w", err)
	}
	return err == nil, nil
}

// The scripts hold as many refused calls as were promised.
func TestRefusalsAreMany(t *testing.T) {
	files, err := filepath.Glob("testdata/refuse-*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		calls += strings.Count(string(text), "\n$ ")
	}
	if calls < 60 {
		t.Errorf("%d refused calls in %d files; want 60", calls, len(files))
	}
}
