package lua_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"ratelab/algorithms"
	"ratelab/internal/limit"
)

// In a cluster a script may touch the keys that it names in KEYS and no other: every script decides for any key, with
// no hash tag in it, wherever its slot lies.
func TestEveryScriptRunsInAClusterWithPlainKeys(t *testing.T) {
	client := cluster(t, 3)
	for _, name := range algorithms.Names() {
		choice, err := algorithms.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		in, err := choice.Under(limit.Policy{Requests: 5, Window: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		const keys = 60
		passed, first := 0, error(nil)
		for i := range keys {
			if err := decideTwice(t, client, in, fmt.Sprintf("user:%s:%d", name, i)); err == nil {
				passed++
			} else if first == nil {
				first = err
			}
		}
		if passed < keys {
			t.Errorf("%s: %d of %d keys pass; else %v", name, passed, keys, first)
		}
	}
}

// decideTwice takes a permit and then another one, from a key that is configured first where it must be.
func decideTwice(t *testing.T, client *redis.ClusterClient, in algorithms.Rule, key string) error {
	calls := [][]string{in.Args, in.Args}
	if in.Init != nil {
		calls = [][]string{in.Init, in.Args, in.Args}
	}
	for _, args := range calls {
		argv := []any{"", 1}
		if in.ClientTime {
			argv[0] = strconv.FormatInt(time.Now().UnixMicro(), 10)
		}
		for _, a := range args {
			argv = append(argv, a)
		}
		reply, err := client.Eval(t.Context(), in.Algorithm.Script(), []string{key}, argv...).Int64Slice()
		if err != nil {
			return err
		}
		if reply[0] != 1 {
			return fmt.Errorf("%v: answers %v", args, reply)
		}
	}
	return nil
}

// cluster is one of so many servers on loopback, which end with the test.
func cluster(t *testing.T, nodes int) *redis.ClusterClient {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		if program, err = exec.LookPath("valkey-server"); err != nil {
			if os.Getenv("REQUIRE_REDIS") == "1" {
				t.Fatal(err)
			}
			t.Skipf("%v; set REQUIRE_REDIS=1 to fail instead", err)
		}
	}
	ports := freePorts(t, 2*nodes)
	var addresses []string
	for i := range nodes {
		port, bus := ports[2*i], ports[2*i+1]
		server := exec.CommandContext(t.Context(), program, "--cluster-enabled", "yes", "--bind", "127.0.0.1",
			"--port", port, "--cluster-port", bus, "--dir", t.TempDir(), "--save", "", "--appendonly", "no")
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			server.Process.Kill()
			server.Wait()
		})
		addresses = append(addresses, "127.0.0.1:"+port)
	}
	for i, address := range addresses {
		client := redis.NewClient(&redis.Options{Addr: address})
		defer client.Close()
		eventually(t, func() error { return client.Ping(t.Context()).Err() })
		const slots = 16384
		if err := client.ClusterAddSlotsRange(t.Context(), i*slots/nodes, (i+1)*slots/nodes-1).Err(); err != nil {
			t.Fatal(err)
		}
		for j := range i {
			if err := client.Do(t.Context(), "CLUSTER", "MEET", "127.0.0.1", ports[2*j],
				ports[2*j+1]).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, address := range addresses {
		client := redis.NewClient(&redis.Options{Addr: address})
		defer client.Close()
		eventually(t, func() error {
			state, err := client.ClusterInfo(t.Context()).Result()
			if err == nil && (!strings.Contains(state, "cluster_state:ok") ||
				!strings.Contains(state, fmt.Sprintf("cluster_known_nodes:%d\r", nodes))) {
				err = fmt.Errorf("not ready: %s", state)
			}
			return err
		})
	}
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: addresses, MaxRetries: -1})
	t.Cleanup(func() { client.Close() })
	return client
}

// freePorts are ports of loopback that nobody listens on.
func freePorts(t *testing.T, n int) []string {
	t.Helper()
	var ports []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // only at the end, so that all are different
		_, port, _ := net.SplitHostPort(l.Addr().String())
		ports = append(ports, port)
	}
	return ports
}

// eventually asks again until there is no error, for up to twenty seconds.
func eventually(t *testing.T, ask func() error) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		err := ask()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
