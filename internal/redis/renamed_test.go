package redis

import (
	"os/exec"
	"strings"
	"testing"
)

// A server whose commands have other names says which are missing and what to do, and repeats no Lua of ours.
func TestRenamedCommands(t *testing.T) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		absent(t, err)
	}
	for _, command := range []string{"EVALSHA", "SCRIPT", "INFO", "EVAL"} {
		want := "does not know " + command + ", which ratelab needs: rename-command or a proxy hides it; " +
			"restore its name, or take another server"
		got := refusal(t, "process="+program(t, `exec redis-server "$@" --rename-command `+command+" hidden"))
		if got != "program: "+want {
			t.Errorf("without %s: %s; want %s", command, got, want)
		}
	}
}

// What a script is answered for its server's sake is worded as if the server had said it to us.
func TestExplainText(t *testing.T) {
	s := &Server{target: target{label: "redis://h:1"}}
	if err := ExplainText("OOM command not allowed when used memory > 'maxmemory'., on user_script:79",
		s); err == nil ||
		!strings.HasPrefix(err.Error(), "redis://h:1: is out of memory (OOM)") {
		t.Error(err)
	}
	if err := ExplainText("ERR value is not an integer", s); err != nil {
		t.Errorf("a script's own affair: %v", err)
	}
}

// Whatever error a server replies, its message names the server, is short, and steers no terminal.
func TestHostileErrorReplies(t *testing.T) {
	for reply, want := range map[string]string{
		"-ERR \x1b]0;pwn\x07 \u202e\xff\u009b\r\n":      `ERR \x1b]0;pwn\a \u202e\xff\u009b`,
		"-ERR " + strings.Repeat("x", 100_000) + "\r\n": "ERR " + strings.Repeat("x", 396) + "…",
	} {
		addr := listen(t, speaker(func([]string) string { return reply }))
		wantText(t, refusal(t, "redis://"+addr), addr+": "+want)
	}
}
