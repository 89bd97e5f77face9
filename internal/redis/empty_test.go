package redis

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// given starts on the host's server as on one that was given.
func given(t *testing.T, host *Server) *Server {
	t.Helper()
	s, err := Start(t.Context(), viaURL(host, "", ""), withEnv(noEnv))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// A server that holds a key in any database is refused. Nothing is written there, no key is read, and the databases are
// as they were.
func TestAGivenServerMustBeEmpty(t *testing.T) {
	host := private(t)
	in := func(db int, key string) {
		at := host.target
		at.db = db
		c := newClient(at, 1)
		defer c.Close()
		if err := c.Set(t.Context(), key, "theirs", 0).Err(); err != nil {
			t.Fatal(err)
		}
	}
	in(0, "theirs")
	do(t, host, "CONFIG", "RESETSTAT")
	wantText(t, refusal(t, viaURL(host, "", "")), host.target.addr+": holds 1 key; give ratelab an empty server")
	in(0, "ratelab:0123456789ab:k")
	in(0, "ratelab")
	wantText(t, refusal(t, viaURL(host, "", "")), ": holds 3 keys; give ratelab an empty server")
	in(3, "ratelab:0123456789ab:k")
	wantText(t, refusal(t, viaURL(host, "", "")), ": holds 4 keys (db0: 3, db3: 1); give ratelab an empty server")
	do(t, host, "DEL", "theirs", "ratelab", "ratelab:0123456789ab:k")
	in(5, "theirs")
	wantText(t, refusal(t, viaURL(host, "", "")), ": holds 2 keys (db3: 1, db5: 1); give ratelab an empty server")
	stats := do(t, host, "INFO", "commandstats")
	for _, command := range []string{"eval", "get", "dump", "unlink", "flushall", "config|set"} {
		if strings.Contains(stats, "cmdstat_"+command+":") {
			t.Errorf("%s was called on a server of others", command)
		}
	}
}

// Keys of other runs are told from those of others, and the line in the message deletes them: whatever their names are,
// in each database.
func TestKeysOfOtherRunsAreDeletedByTheLineInTheMessage(t *testing.T) {
	if _, err := exec.LookPath("redis-cli"); err != nil {
		t.Skip(err)
	}
	host := private(t)
	do(t, host, "SET", "ratelab:0123456789ab:gcra:{k 1}", "1", "EX", "1000")
	do(t, host, "SET", "ratelab:0123456789ab:gcra:{k\"'\\2}", "1", "EX", "1000")
	at := host.target
	at.db = 7
	other := newClient(at, 1)
	defer other.Close()
	for i := range 1200 {
		other.Set(t.Context(), fmt.Sprint("ratelab:0123456789ab:", i), 1, 0)
	}
	got := refusal(t, viaURL(host, "", ""))
	wantText(t, got, ": holds 1202 keys of other runs, ratelab:* (db0: 2, db7: 1200)")
	_, line, _ := strings.Cut(got, "delete them: ")
	if out, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
		t.Fatalf("%s\n%v: %s", line, err, out)
	}
	if held := do(t, host, "INFO", "keyspace"); strings.Contains(held, "db") {
		t.Errorf("after %s the server holds %s", line, held)
	}
	given(t, host)
}

func TestTheLineThatDeletesIsForTheGivenServer(t *testing.T) {
	held := []database{{0, 1}}
	for _, c := range []struct{ url, want string }{
		{"redis://localhost", "redis-cli -u redis://localhost:6379/0 --scan "},
		{"rediss://ann:pw@host:1?skip_verify=true", "redis-cli -u rediss://host:1/0 --user ann --scan "},
		{"unix:///a b/it's", `redis-cli -s '/a b/it'\''s' -n 0 --scan `},
	} {
		at, err := parseURL(c.url, noEnv)
		if err != nil {
			t.Fatal(err)
		}
		if got := (&Server{target: at}).deleting(held); !strings.HasPrefix(got, c.want) || strings.Contains(got, "pw") {
			t.Errorf("%s: %s; want %s", c.url, got, c.want)
		}
	}
}
