//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
)

var kills = flag.Int("kills", 20,
	"how many runs TestKilledAtAnyMoment kills: go test ./cmd/simulate -run KilledAtAnyMoment -kills 1000 -timeout 1h")

// A run of minutes is killed at a random moment, by each signal in turn. No file is torn then. After an interrupt no
// key is left on the server, and after a kill none stays for good. The next run leaves no temporary file in the folder.
func TestKilledAtAnyMoment(t *testing.T) {
	longtest.Skip(t, "kills many runs")
	c := newCampaign(t)
	began := time.Now()
	if code := c.run(c.long...); code != 0 {
		t.Fatalf("exit code %d\n%s", code, c.said.String())
	}
	took := time.Since(began)
	c.whole = c.read("all.csv")
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	for i := range *kills {
		signal := []os.Signal{syscall.SIGKILL, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGKILL}[i%4]
		after := time.Duration(random.Int64N(int64(took)))
		c.kill(signal, after)
		c.checkFiles()
		if code := c.run(c.short...); code != 0 {
			t.Errorf("the next run: exit code %d\n%s", code, c.said.String())
		}
		c.checkNothingLeft()
		if t.Failed() {
			t.Fatalf("kill %d of seed %d: %v after %v of %v", i, seed, signal, after, took)
		}
	}
	t.Logf("%d keys of killed runs were found", c.keysFound)
}

// campaign is a server and a folder in which runs are killed.
type campaign struct {
	*testing.T
	program     string
	dir         string
	server      *redis.Server
	long, short []string
	said        bytes.Buffer
	whole       []byte // the decisions of a run that came to its end
	keysFound   int
}

func newCampaign(t *testing.T) *campaign {
	c := &campaign{T: t, dir: t.TempDir(), server: redistest.Private(t)}
	socket := c.server.Client.ConfigGet(t.Context(), "unixsocket").Val()["unixsocket"]
	if socket == "" {
		if os.Getenv("REQUIRE_REDIS") == "1" {
			t.Fatal("the private server has no socket, and REQUIRE_REDIS=1")
		}
		t.Skip("needs the private server's address")
	}
	var err error
	if c.program, err = exec.LookPath("simulate"); err != nil { // this test's own binary, see TestMain
		t.Fatal(err)
	}
	for name, phase := range map[string]string{"long": "{name: all, duration: 2m, constant: 40/s}",
		"short": "{name: all, duration: 1s, constant: 1}"} {
		text := "name: " + name + "\nquestion: What is left of it?\nlimit: {requests: 5, per: 1s}\nkeys: {count: " +
			"500}\nphases:\n  - " + phase + "\n"
		if err := os.WriteFile(filepath.Join(c.dir, name+".yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	where := []string{"-a", "gcra,sliding-window-log", "--redis", "unix://" + socket, "--out", "out"}
	c.long = append([]string{"long.yaml", "--decisions", "all.csv", "--charts", "svg"}, where...)
	c.short = append([]string{"short.yaml", "--decisions", "short.csv", "--charts", "none"}, where...)
	return c
}

func (c *campaign) start(args []string) *exec.Cmd {
	c.said.Reset()
	cmd := exec.Command(c.program, args...)
	cmd.Dir, cmd.Stderr = c.dir, &c.said
	if err := cmd.Start(); err != nil {
		c.Fatal(err)
	}
	return cmd
}

func (c *campaign) run(args ...string) int {
	cmd := c.start(args)
	cmd.Wait() // the exit code says it
	return cmd.ProcessState.ExitCode()
}

// kill starts the long run and sends the signal to it so much later.
func (c *campaign) kill(signal os.Signal, after time.Duration) {
	cmd := c.start(c.long)
	time.Sleep(after)
	cmd.Process.Signal(signal) // an error means that it has ended already
	cmd.Wait()
	code := cmd.ProcessState.ExitCode()
	keys := c.server.Client.Keys(c.Context(), "*").Val()
	c.keysFound += len(keys)
	switch { // -1 is a run that the signal ended: SIGKILL, or one that had not begun to listen
	case code != 0 && code != 130 && code != -1:
		c.Errorf("exit code %d\n%s", code, c.said.String())
	case code == 130 && len(keys) > 0:
		c.Errorf("an interrupted run left %q; it said:\n%s", keys, c.said.String())
	case code == 130:
		c.checkNothingLeft()
	}
	for _, key := range keys {
		if ttl := c.server.Client.TTL(c.Context(), key).Val(); ttl < 0 {
			c.Errorf("%s has no TTL", key)
		}
	}
	c.server.Client.FlushAll(c.Context()) // a given server must be empty
	c.visit(func(path string) {
		if strings.HasPrefix(filepath.Base(path), ".ratelab-") { // which the next run sweeps when it is a day old
			c.age(path)
		}
	})
}

func (c *campaign) age(path string) {
	at := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(filepath.Join(c.dir, path), at, at); err != nil {
		c.Fatal(err)
	}
}

func (c *campaign) read(name string) []byte {
	text, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		c.Fatal(err)
	}
	return text
}

// checkFiles reads what lies there under a final name.
func (c *campaign) checkFiles() {
	c.visit(func(path string) {
		text := c.read(path)
		ending := map[string]string{".svg": "</svg>\n", ".html": "</html>\n", ".csv": "\n",
			".json": "}\n"}[filepath.Ext(path)]
		switch {
		case strings.HasPrefix(filepath.Base(path), "."):
		case !bytes.HasSuffix(text, []byte(ending)), filepath.Ext(path) == ".json" && !json.Valid(text):
			c.Errorf("%s is torn: it ends in %q", path, text[max(0, len(text)-40):])
		case path == "all.csv" && !bytes.Equal(text, c.whole):
			c.Errorf("%s has %d bytes; want the %d of a whole run", path, len(text), len(c.whole))
		}
	})
}

// checkNothingLeft wants no key on the server, and no file that nobody asked for.
func (c *campaign) checkNothingLeft() {
	if keys := c.server.Client.Keys(c.Context(), "*").Val(); len(keys) > 0 {
		c.Errorf("%d keys are left, such as %s", len(keys), keys[0])
	}
	c.visit(func(path string) {
		if name := filepath.Base(path); strings.HasPrefix(name, ".") || filepath.Ext(name) == ".tmp" ||
			filepath.Ext(name) == "" {
			c.Errorf("%s is left", path)
		}
	})
}

func (c *campaign) visit(each func(path string)) {
	err := fs.WalkDir(os.DirFS(c.dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			each(path)
		}
		return err
	})
	if err != nil {
		c.Fatal(err)
	}
}
