package lua_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/redis/redistest"
)

// In a cluster a script may touch the keys that it names in KEYS and no other, whatever their slots. So every script
// decides for a user who may touch that key alone.
func TestEveryScriptTouchesItsKeyAlone(t *testing.T) {
	s := redistest.Private(t)
	for _, name := range algorithms.Names() {
		choice, err := algorithms.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		in, err := choice.Under(limit.Policy{Requests: 5, Window: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		key := "user:" + name
		if err := s.Client.Do(t.Context(), "ACL", "SETUSER", name, "on", ">pw", "+@all", "~"+key).Err(); err != nil {
			t.Fatal(err)
		}
		client := redis.NewClient(&redis.Options{Network: "unix", Addr: redistest.Socket(t, s), Username: name,
			Password: "pw", Protocol: 2})
		defer client.Close()
		if err := decideTwice(t, client, in, key); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := client.Get(t.Context(), key+":more").Err(); !redis.HasErrorPrefix(err, "NOPERM") {
			t.Errorf("%s: another key is answered %v", name, err)
		}
	}
}

// decideTwice takes a token and then another one, from a key that is configured first where it must be.
func decideTwice(t *testing.T, client redis.Scripter, in algorithms.Rule, key string) error {
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
