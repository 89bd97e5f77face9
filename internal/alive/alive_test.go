package alive

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// child starts a process that waits to be told to end.
func child(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RATELAB_TEST_WAITS=1")
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd
}

// TestMain lets the test's binary be the child.
func TestMain(m *testing.M) {
	if os.Getenv("RATELAB_TEST_WAITS") == "1" {
		os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func known(t *testing.T) {
	t.Helper()
	if Self().Place == "" {
		t.Skip("this system does not tell what processes there are")
	}
}

func TestAProcessIsGoneOnceItHasEnded(t *testing.T) {
	known(t)
	cmd := child(t)
	p := Process{Self().Place, cmd.Process.Pid, began(cmd.Process.Pid)}
	if p.Gone() {
		t.Errorf("%v lives and is called dead", p)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if !p.Gone() {
		t.Errorf("%v has ended and is not called dead", p)
	}
}

// An identifier that another process has got since is not the same process.
func TestAnIdentifierThatWasGivenAgainIsAnotherProcess(t *testing.T) {
	known(t)
	self := Self()
	if self.Gone() {
		t.Fatal("the process that asks is dead")
	}
	if self.Start == "" {
		t.Skip("this system does not tell when a process began")
	}
	self.Start += "0"
	if !self.Gone() {
		t.Error("an earlier process of the same identifier is called alive")
	}
}

// Of other machines and containers nothing is known, whatever runs here.
func TestElsewhereNobodyIsCalledDead(t *testing.T) {
	for _, p := range []Process{{"0badc0de", 1 << 22, ""}, {"", 1 << 22, "5"}, {Self().Place, 0, ""},
		{Self().Place, -1, ""}} {
		if p.Gone() || p.Here() {
			t.Errorf("%v: gone %t, here %t", p, p.Gone(), p.Here())
		}
	}
}

func TestANameIsReadAgain(t *testing.T) {
	for _, p := range []Process{Self(), {"0123abcd", 7, "zz9"}, {"", 4711, ""}} {
		if got, ok := Parse(p.String()); !ok || got != p {
			t.Errorf("%q is read as %v, %t", p.String(), got, ok)
		}
	}
	for _, text := range []string{"", "-", "--", "0123abcd-0-1", "0123abcd--1", "0123ABCD-1-1", "0123abcd-1-1-1",
		"0123abcd-1-A", "../a-1-1",
		"0123abcd-99999999999-1", "0123abcd-1-1\n"} {
		if p, ok := Parse(text); ok {
			t.Errorf("%q is read as %v", text, p)
		}
	}
}

func TestLeftoversAreThoseOfTheDead(t *testing.T) {
	known(t)
	dir, now := t.TempDir(), time.Now()
	dead := Process{Self().Place, Self().PID, Self().Start + "0"}
	if Self().Start == "" {
		cmd := child(t)
		cmd.Process.Kill()
		cmd.Wait()
		dead = Process{Self().Place, cmd.Process.Pid, ""}
	}
	elsewhere := Process{"0badc0de", 1 << 22, "1"}
	old, fresh := now.Add(-Strange-time.Hour), now.Add(-Strange+time.Hour)
	for _, c := range []struct {
		name string
		made time.Time
		want bool
	}{
		{".x-" + dead.String() + "-1.tmp", now, true},
		{".x-" + dead.String() + "-12345678.tmp", old, true},
		{".x-" + Self().String() + "-2.tmp", old, false},
		{".x-" + elsewhere.String() + "-3.tmp", fresh, false},
		{".x-" + elsewhere.String() + "-4.tmp", old, true},
		{".x-" + dead.String() + "-5", old, false},
		{"x-" + dead.String() + "-6.tmp", old, false},
		{".x-" + dead.String() + "-seven.tmp", old, false},
		{".x-" + dead.String() + ".tmp", old, false},
		{".x-.tmp", old, false},
		{".x-8.tmp", old, false},
	} {
		path := filepath.Join(dir, c.name)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, c.made, c.made)); err != nil {
			t.Fatal(err)
		}
		left, err := Leftovers(dir, ".x-", ".tmp", now)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(left) == 1; got != c.want {
			t.Errorf("%s of %v: left over %t; want %t", c.name, c.made, got, c.want)
		}
		os.Remove(path)
	}
	if _, ours := Owner(strings.Replace(Pattern(".x-", ".tmp"), "*", "99", 1), ".x-", ".tmp"); !ours {
		t.Error("a name of our own is not known again")
	}
}
