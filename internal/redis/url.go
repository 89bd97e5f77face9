package redis

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ratelab/internal/atomicfile"
	"ratelab/internal/message"
)

// parseURL reads redis://user:password@host:port/db, rediss:// with the TLS parameters of tlsConfig, and
// unix://user:password@/path?db=0. If the URL has no password, the environment's is used. Its errors repeat no part of
// the URL that may contain a password or a part of one: an unescaped / ? or # in a password moves the rest into the
// path, the query or the fragment.
//
// Note: redis.ParseURL accepts more forms, but its error repeats the whole URL, password included.
func parseURL(text string, getenv func(string) string) (target, error) {
	scheme, _, _ := strings.Cut(text, "://")
	known := parameters[scheme]
	switch {
	case known == nil && !word.MatchString(scheme):
		return target{}, unknownSpec(text)
	case known == nil:
		return target{}, badURL(scheme, "no such scheme; want redis://, rediss:// (TLS) or unix://")
	}
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || u.Fragment != "" || misplacedAt(u) {
		return target{}, badURL(scheme, "cannot be read as a URL; in a user name or password write / as %%2F, ? as "+
			"%%3F, # as %%23, @ as %%40, %% as %%25, or set REDIS_PASSWORD instead")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return target{}, badURL(scheme, "the part after ? cannot be read; want name=value&name=value")
	}
	for name, values := range query {
		switch {
		case name == "password":
			return target{}, badURL(scheme, "no password after the ?; write %s://user:password@… or set REDIS_PASSWORD",
				scheme)
		case !slices.Contains(known, name):
			return target{}, badURL(scheme, "unknown parameter after the ?; want %s", strings.Join(known, ", "))
		case len(values) > 1:
			return target{}, badURL(scheme, "%s is given twice", name)
		}
	}
	inURL, _ := u.User.Password()
	password := cmp.Or(inURL, getenv("REDIS_PASSWORD"), getenv("REDISCLI_AUTH"))
	t := target{user: cmp.Or(u.User.Username(), query.Get("username")), password: func() string { return password }}
	return t.locate(u, query)
}

// badURL returns an error about a URL. It shows the scheme alone, since the rest may hold a password.
func badURL(scheme, format string, args ...any) error {
	return badSpec("server \"%s://…\": %s", scheme, fmt.Sprintf(format, args...))
}

// misplacedAt reports whether the URL has an @ that only a split password can put there. A socket's path may have one.
func misplacedAt(u *url.URL) bool {
	return u.Scheme != "unix" && strings.Contains(u.Path, "@") || strings.Contains(u.RawQuery, "@")
}

// parameters are the names of query parameters by scheme.
var parameters = map[string][]string{
	"redis":  {"db", "username"},
	"rediss": {"db", "username", "cacert", "cert", "key", "sni", "skip_verify"},
	"unix":   {"db", "username"},
}

// locate fills in the address, the label and the database.
func (t target) locate(u *url.URL, query url.Values) (target, error) {
	db := query.Get("db")
	if u.Scheme == "unix" {
		if u.Host != "" || u.Path == "" || u.Path == "/" {
			return target{}, badURL("unix",
				"want three slashes and a socket's path, such as unix:///run/redis.sock?db=0")
		}
		t.network, t.addr, t.label = "unix", u.Path, "unix://"+u.Path
	} else {
		port := cmp.Or(u.Port(), "6379")
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 || u.Hostname() == "" {
			return target{}, badURL(u.Scheme, "want a host and a port from 1 to 65535, such as %s://localhost:6379",
				u.Scheme)
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

// tlsConfig reads the parameters of a rediss:// URL, which have the names of redis-cli's flags. cacert is a PEM file
// that replaces the system's authorities. cert and key are PEM files for servers that ask for a client certificate. sni
// is the name in the certificate if it is not the host. skip_verify=true accepts any certificate.
func tlsConfig(label, host string, query url.Values) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: cmp.Or(query.Get("sni"), host)}
	switch skip := query.Get("skip_verify"); skip {
	case "", "false":
	case "true":
		c.InsecureSkipVerify = true // the user asked for it explicitly
	default:
		return nil, badSpec("server %q: skip_verify=%s; want true or false", label, skip)
	}
	if file := query.Get("cacert"); file != "" {
		pem, err := readPEM(file)
		if err != nil {
			return nil, badSpec("server %q: cacert: %v", label, err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, badSpec("server %q: cacert: %s holds no certificate; want PEM", label, file)
		}
	}
	cert, key := query.Get("cert"), query.Get("key")
	if (cert == "") != (key == "") {
		return nil, badSpec("server %q: want cert and key together, or neither", label)
	}
	if cert != "" {
		certPEM, err := readPEM(cert)
		keyPEM, keyErr := readPEM(key)
		var pair tls.Certificate
		if err = cmp.Or(err, keyErr); err == nil {
			pair, err = tls.X509KeyPair(certPEM, keyPEM)
		}
		if err != nil {
			return nil, badSpec("server %q: cert and key: %v", label, err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// readPEM reads a certificate or a key.
func readPEM(file string) ([]byte, error) {
	const most = 1 << 20
	data, err := atomicfile.Read(file, most)
	if err == nil && len(data) > most {
		err = errors.New("is larger than 1 MiB; want PEM")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return data, nil
}

// notRepeated replaces a server's spec that a message must not quote.
const notRepeated = "(not repeated here, it may hold a password)"

// harmless matches a word, a path, or an image's name with a registry's port, a tag and a digest. No match looks like
// the user, the password or the host of a URL, even of a mistyped one.
var harmless = onDemand(`^([A-Za-z]:\\)?[\pL\pN ._/\\+~-]*(:[0-9]{1,5}/[\pL\pN._/-]+)?(:[A-Za-z0-9_.-]{1,128})?(@sha256:[0-9a-f]{64})?$`)

// onDemand returns a pattern that is compiled on first use. Patterns with repetitions take milliseconds to compile,
// which would delay every start of the program.
func onDemand(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// repeatable reports whether a message may quote text, the spec of a server, an image or a program. It may if text
// cannot hold a password.
func repeatable(text string) bool {
	return harmless().MatchString(text) && !strings.Contains(text, "//")
}

// Repeat returns text in quotes for a message, or notRepeated if text may hold a password.
func Repeat(text string) string {
	if repeatable(text) {
		return message.Quote(text)
	}
	return notRepeated
}
