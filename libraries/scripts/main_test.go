package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/script"
)

// Each binding names the source of its script. It can be loaded for limits with and without a burst.
func TestBindings(t *testing.T) {
	names, err := bindings.ReadDir(".")
	if err != nil || len(names) < 16 {
		t.Fatalf("%d bindings: %v", len(names), err)
	}
	for _, name := range names {
		text, err := bindings.ReadFile(name.Name())
		if err != nil {
			t.Fatal(err)
		}
		where := map[string]string{}
		for _, m := range header.FindAllStringSubmatch(string(text), -1) {
			where[m[1]] = m[2]
		}
		if len(strings.Fields(where["project"])) != 2 || where["file"] == "" || len(where["sha1"]) != 40 {
			t.Errorf("%s: %v", name.Name(), where)
		}
		file := script.File{Name: "x.lua", Read: func(name string) ([]byte, error) {
			if name == "x.lua" {
				return []byte("return 1"), nil
			}
			return text, nil
		}}
		for _, p := range []limit.Policy{{Requests: 100, Window: time.Minute},
			{Requests: 20, Window: time.Second, Burst: 4, Contract: limit.ByBucket}} {
			if _, err := script.Load(file, p); err != nil {
				t.Errorf("%s at %v: %v", name.Name(), p, err)
			}
		}
	}
}

// These bindings are for several limits too: Kong's script is called for each, the other one once.
func TestBindingsOfSeveralLimits(t *testing.T) {
	limits := []limit.Limit{{Name: "minute", Policy: limit.Policy{Requests: 600, Window: time.Minute}},
		{Name: "day", Policy: limit.Policy{Requests: 1000, Window: 24 * time.Hour}}}
	for name, calls := range map[string]int{"kong": 2, "instawork-llm-proxy": 1} {
		file := script.File{Name: name + ".lua", Read: func(file string) ([]byte, error) {
			if file == name+".lua" {
				return []byte("return 1"), nil
			}
			return bindings.ReadFile(file)
		}}
		programs, ask, err := script.LoadSeveral(file, limits)
		if err != nil || len(programs) != calls || (ask == "all") != (calls == 2) {
			t.Errorf("%s: %d programs, ask %q: %v", name, len(programs), ask, err)
		}
	}
}

// A script is cut out of a checkout. One that is not what its binding is for is refused by name, as a missing one is.
func TestCut(t *testing.T) {
	from, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	file := filepath.Join(from, "node-rate-limiter-flexible", "lib", "RateLimiterRedis.js")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	source := "const incrTtlLuaScript = `local n = 1 \\\nreturn {n, 2} \\\n`;\n"
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	var told bytes.Buffer
	if err := cut(from, out, &told); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(out, "node-rate-limiter-flexible.lua"))
	if want := "local n = 1 \nreturn {n, 2} \n"; string(got) != want {
		t.Errorf("%q, want %q: %v", got, want, err)
	}
	if _, err := os.Stat(filepath.Join(out, "node-rate-limiter-flexible.yaml")); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"flexible: animir/node-rate-limiter-flexible, a different script than in v11.1.0",
		fmt.Sprintf("traefik: left out: open %s", filepath.Join(from, "traefik"))} {
		if !strings.Contains(told.String(), want) {
			t.Errorf("%q is missing in %s", want, &told)
		}
	}
}
