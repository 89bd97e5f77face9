package redisserver

import (
	"cmp"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// parseURL reads redis://user:password@host:port/db, rediss:// with the TLS parameters of tlsConfig, and
// unix://user:password@/path?db=0. Without a password in it the environment's is taken. Its errors repeat no
// part of the URL in which a password, or the half of one, could be: an unescaped / ? or # in a password moves
// what follows into the path, the query or the fragment.
//
// Note: redis.ParseURL reads more, and repeats the whole URL, password included, in its error.
func parseURL(text string, getenv func(string) string) (target, error) {
	scheme, _, _ := strings.Cut(text, "://")
	if !slices.Contains([]string{"redis", "rediss", "unix"}, scheme) {
		if !word.MatchString(scheme) {
			return target{}, unknownSpec(text)
		}
		return target{}, badSpec("server \"%s://…\": no such scheme; want redis://, rediss:// (TLS) or unix://", scheme)
	}
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || u.Fragment != "" || misplacedAt(u) {
		return target{}, badSpec("server \"%s://…\": cannot be read as a URL; in a user name or password write "+
			"/ as %%2F, ? as %%3F, # as %%23, @ as %%40, %% as %%25, or set REDIS_PASSWORD instead", scheme)
	}
	t := target{user: u.User.Username(), password: password(u, getenv)}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return target{}, badSpec("server \"%s://…\": the part after ? cannot be read; want name=value&name=value",
			scheme)
	}
	if err := checkQuery(scheme, query); err != nil {
		return target{}, err
	}
	t.user = cmp.Or(t.user, query.Get("username"))
	return t.locate(u, query)
}

// misplacedAt reports an @ where only a torn password puts one. A socket's path may have one.
func misplacedAt(u *url.URL) bool {
	path := u.Path
	if u.Scheme == "unix" {
		path = ""
	}
	return strings.Contains(path+u.RawQuery, "@")
}

func password(u *url.URL, getenv func(string) string) secret {
	inURL, _ := u.User.Password()
	return newSecret(cmp.Or(inURL, getenv("REDIS_PASSWORD"), getenv("REDISCLI_AUTH")))
}

// parameters are the query's names by scheme.
var parameters = map[string][]string{
	"redis":  {"db", "username"},
	"rediss": {"db", "username", "cacert", "cert", "key", "sni", "skip_verify"},
	"unix":   {"db", "username"},
}

func checkQuery(scheme string, query url.Values) error {
	for name, values := range query {
		switch {
		case name == "password":
			return badSpec("server \"%s://…\": no password after the ?; write %s://user:password@… or set "+
				"REDIS_PASSWORD", scheme, scheme)
		case !slices.Contains(parameters[scheme], name):
			return badSpec("server \"%s://…\": unknown parameter after the ?; want %s", scheme,
				strings.Join(parameters[scheme], ", "))
		case len(values) > 1:
			return badSpec("server \"%s://…\": %s is given twice", scheme, name)
		}
	}
	return nil
}

// locate fills in the address, the label and the database.
func (t target) locate(u *url.URL, query url.Values) (target, error) {
	db := query.Get("db")
	if u.Scheme == "unix" {
		if u.Host != "" || u.Path == "" || u.Path == "/" {
			return target{}, badSpec("server \"unix://…\": want three slashes and a socket's path, such as " +
				"unix:///run/redis.sock?db=0")
		}
		t.network, t.addr, t.label = "unix", u.Path, "unix://"+u.Path
	} else {
		port := cmp.Or(u.Port(), "6379")
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 || u.Hostname() == "" {
			return target{}, badSpec("server \"%s://…\": want a host and a port from 1 to 65535, such as "+
				"%s://localhost:6379", u.Scheme, u.Scheme)
		}
		t.network, t.addr = "tcp", net.JoinHostPort(u.Hostname(), port)
		t.label = u.Scheme + "://" + t.addr
		if path := strings.Trim(u.Path, "/"); path != "" {
			if db != "" {
				return target{}, badSpec("server %q: the database is given twice, in the path and as db", t.label)
			}
			db = path
		}
	}
	var err error
	if t.db, err = strconv.Atoi(cmp.Or(db, "0")); err != nil || t.db < 0 {
		return target{}, badSpec("server %q: the database is not a number from 0 on; want %s/0 or ?db=0", t.label,
			t.label)
	}
	if u.Scheme == "rediss" {
		t.tls, err = tlsConfig(t.label, u.Hostname(), query)
	}
	return t, err
}
