package redisserver

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"net/url"
	"os"
)

// tlsConfig reads the parameters of a rediss:// URL, named as redis-cli's flags are: cacert (a PEM file instead
// of the system's authorities), cert and key (PEM files, for servers that ask the client for one), sni (the name
// to expect in the certificate, where it is not the host), and skip_verify=true, which believes anybody.
func tlsConfig(label, host string, query url.Values) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: cmp.Or(query.Get("sni"), host)}
	switch skip := query.Get("skip_verify"); skip {
	case "", "false":
	case "true":
		c.InsecureSkipVerify = true // asked for, in so many words
	default:
		return nil, badSpec("server %q: skip_verify=%s; want true or false", label, skip)
	}
	if file := query.Get("cacert"); file != "" {
		pem, err := os.ReadFile(file)
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
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, badSpec("server %q: cert and key: %v", label, err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
