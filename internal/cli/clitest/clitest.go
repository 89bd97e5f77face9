// Package clitest runs txtar scripts that test a program. Commands of a script call the program, interrupt and kill it,
// and start servers for it. It also checks the general rules for refused calls. It does not depend on a particular
// program.
package clitest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ratelab/internal/longtest"

	"github.com/rogpeppe/go-internal/testscript"
)

// Scripts runs all scripts in testdata. The test binary must also be the program: see Main. Scripts that need a
// redis-server are skipped if there is no redis-server, and fail with REQUIRE_REDIS=1. If update is set, the golden
// parts are rewritten.
func Scripts(t *testing.T, program string, update bool, more map[string]func(*testscript.TestScript, bool, []string)) {
	p := testscript.Params{
		Dir:           "testdata",
		UpdateScripts: update,
		Condition:     condition,
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"REDIS_PASSWORD", "REDISCLI_AUTH", "REDIS_SERVER", "REDIS_IMAGE",
				"NO_COLOR"} {
				env.Setenv(name, "")
			}
			root, err := filepath.Abs(filepath.Join("..", ".."))
			if err != nil {
				return err
			}
			env.Setenv("ROOT", root) // of the repository, for reading its files
			old, err := exec.LookPath(oldRedisProgram)
			if err != nil {
				return err
			}
			env.Setenv("OLD_REDIS", old)
			env.Values[storyKey{}] = &story{program: program}
			return nil
		},
		Cmds: commands(),
	}
	for name, command := range more {
		p.Cmds[name] = command
	}
	testscript.Run(t, p)
}

func commands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"run":      runCmd,
		"refusals": refusalsCmd,
		"head":     headCmd,
		"start":    startCmd,
		"nohup":    nohupCmd,
		"signal":   signalCmd,
		"freeze":   freezeCmd,
		"ended":    endedCmd,

		"redis":     redisCmd,
		"halt":      haltCmd,
		"do":        doCmd,
		"keyspace":  keyspaceCmd,
		"await":     awaitCmd,
		"http":      httpCmd,
		"same":      sameCmd,
		"gzip":      gzipCmd,
		"truncate":  truncateCmd,
		"noise":     noiseCmd,
		"replace":   replaceCmd,
		"executes":  executesCmd,
		"listfiles": listFilesCmd,
	}
}

func condition(name string) (bool, error) {
	switch name {
	case "root":
		return os.Geteuid() == 0, nil
	case "all":
		return longtest.All(), nil
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

// story is the state shared by the commands of one script.
type story struct {
	program string // its name
	series  series
	run     *background // the last run in the background
}

type storyKey struct{}

func of(ts *testscript.TestScript) *story { return ts.Value(storyKey{}).(*story) }

func programName(ts *testscript.TestScript) string { return of(ts).program }
