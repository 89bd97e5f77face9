package redis

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// authority signs certificates for the test's servers and clients.
type authority struct {
	dir    string
	cert   *x509.Certificate
	key    *ecdsa.PrivateKey
	serial int64
}

func newAuthority(t *testing.T) *authority {
	a := &authority{dir: t.TempDir()}
	a.cert, a.key = a.sign(t, "ca", true)
	return a
}

// sign writes NAME.crt and NAME.key, signed by the authority, or by itself where there is none yet.
func (a *authority) sign(t *testing.T, name string, ca bool) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a.serial++
	template := &x509.Certificate{SerialNumber: big.NewInt(a.serial), Subject: pkix.Name{CommonName: name},
		NotAfter: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC), IsCA: ca, BasicConstraintsValid: true,
		DNSNames: []string{"redis.test"}}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	writePEM(t, a.path(name+".crt"), "CERTIFICATE", der)
	writePEM(t, a.path(name+".key"), "PRIVATE KEY", keyDER)
	return cert, key
}

func (a *authority) path(name string) string { return filepath.Join(a.dir, name) }

func writePEM(t *testing.T, path, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}

// tlsFront takes TLS connections, asks the client for a certificate, and hands the bytes to the private server.
func (a *authority) tlsFront(t *testing.T, back *Server) string {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(a.path("server.crt"), a.path("server.key"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	config := &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert,
		ClientCAs: pool}
	return listen(t, func(c net.Conn) {
		front := tls.Server(c, config)
		if front.Handshake() != nil {
			return
		}
		behind, err := back.target.connect(t.Context())
		if err != nil {
			return
		}
		defer behind.Close()
		go io.Copy(behind, front)
		io.Copy(front, behind)
	})
}

func TestTLSWithOurAuthorityAndClientCertificate(t *testing.T) {
	a := newAuthority(t)
	a.sign(t, "server", false)
	a.sign(t, "client", false)
	base := "rediss://" + a.tlsFront(t, private(t))
	mine := "cert=" + a.path("client.crt") + "&key=" + a.path("client.key")
	trust := "cacert=" + a.path("ca.crt") + "&sni=redis.test"

	for _, query := range []string{trust + "&" + mine, "skip_verify=true&" + mine} {
		s, err := Start(t.Context(), base+"?"+query, withEnv(noEnv))
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if s.Transport != TransportTLS {
			t.Errorf("transport %s; want tls", s.Transport)
		}
		s.Close()
	}
	wantText(t, refusal(t, base), ": its certificate is not trusted (x509: ")
	wantText(t, refusal(t, base+"?cacert="+a.path("ca.crt")+"&sni=other.test&"+mine),
		": its certificate is not trusted (x509: certificate is valid for redis.test, not other.test); name "+
			"the authority")
	wantText(t, refusal(t, base+"?"+trust),
		": refused the TLS handshake (tls: certificate required); if it asks for a certificate, give "+
			"?cert=FILE&key=FILE")
}
