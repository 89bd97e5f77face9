package redisserver

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

// capabilities runs on the server: it writes and deletes one key and answers which commands the user lacks.
//
//go:embed capabilities.lua
var capabilities string

// identify logs in, learns the server's name and version, and makes sure that decisions can be made there.
func (s *Server) identify(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	hello, err := s.Client.Do(ctx, "HELLO", "2").Slice()
	if err != nil && !redis.HasErrorPrefix(err, "unknown command") {
		return s.unwelcome(err)
	}
	about := pairs(hello)
	s.Name, s.Version = cmp.Or(about["server"], "redis"), about["version"]
	if about["mode"] == "cluster" || about["mode"] == "sentinel" {
		return s.target.explainMode(about["mode"])
	}
	if info, err := s.Client.Info(ctx, "server").Result(); err == nil {
		s.readInfo(info)
	} // else: not granted or not known; should the server be unwell, the next call fails too
	return s.checkCapabilities(ctx)
}

func (t target) explainMode(mode string) error {
	if mode == "sentinel" {
		return unavailable("%s: is a Sentinel, which keeps no data; name the primary that it watches", t.label)
	}
	return unavailable("%s: %s", t.label, clusterWords)
}

// readInfo takes name and version from INFO. Valkey says a redis_version too, for old clients' sake.
func (s *Server) readInfo(info string) {
	fields := infoFields(info)
	s.Name = cmp.Or(fields["server_name"], s.Name)
	s.Version = cmp.Or(fields[s.Name+"_version"], fields["redis_version"], s.Version)
}

// infoFields reads the name:value lines of INFO.
func infoFields(info string) map[string]string {
	fields := make(map[string]string)
	for line := range strings.Lines(info) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		fields[name] = value
	}
	return fields
}

// checkCapabilities tries what decisions need: see capabilities.lua.
func (s *Server) checkCapabilities(ctx context.Context) error {
	answer, err := s.Client.Eval(ctx, capabilities, []string{s.Prefix + "probe"}).StringSlice()
	if err != nil {
		return s.unwelcome(err)
	}
	if len(answer) == 0 {
		return nil
	}
	if answer[0] == "old" {
		return unavailable("%s: %s %s lacks PEXPIRETIME, which virtual time needs; want Redis 7.0 or later, or Valkey",
			s.target.label, s.Name, cmp.Or(s.Version, "of unknown version"))
	}
	if answer[0] == "unknown" {
		return unavailable("%s: does not know %s, which decisions need: rename-command or a proxy has taken it away; "+
			"give it its name back, or take another server",
			s.target.label, strings.ToUpper(strings.Join(answer[1:], ", ")))
	}
	return s.target.denied(strings.Join(answer, ", "))
}

// ACLRule is what a user needs, as ACL SETUSER takes it; the name and the password come before it.
const ACLRule = "~ratelab:* resetchannels -@all +@read +@write +@connection -@dangerous +eval +evalsha +script|load " +
	"+script|exists +time +info"

// denied says which commands the user may not run, or that it is the keys, and what to grant.
func (t target) denied(commands string) error {
	user := cmp.Or(t.user, "default")
	what := "use keys under ratelab:"
	if commands != "" {
		what = "run " + commands
	}
	return unavailable("%s: user %q may not %s; this suffices: ACL SETUSER %s %s", t.label, user, what, user, ACLRule)
}

// pairs makes a map of a flat list of names and values.
func pairs(list []any) map[string]string {
	m := make(map[string]string)
	for i := 0; i+1 < len(list); i += 2 {
		m[fmt.Sprint(list[i])] = fmt.Sprint(list[i+1])
	}
	return m
}
