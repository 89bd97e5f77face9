package redis

import "testing"

// What is plainly a word, a path or an image may be repeated; what may be a part of a URL may not.
func TestRepeatable(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "redis": true, "redis:8.0": true, "valkey/valkey:8.1-alpine": true, "localhost:5000/redis:8": true,
		"Redis:7":                     true,
		"/opt/redis/bin/redis-server": true, "/dev/null": true, `C:\redis\redis-server.exe`: true,
		"/home/jörg/redis-server": true,
		"redis@sha256:c5b1261d6d3e43071626931fc004f70149baeba2c8ec672bd4f27761f8e1ad6b": true,
		"redis@sha256:c5b1": false, "redis://h": false, "redis//u": false, "redis:/u:p@h": false, "u:p@h:1": false,
		"u@h": false, "a=b": false,
		"redis:7\x1b[31m": false, "redis:7\n": false, "u:p:w": false, "redis:7?x": false, "redis:7#x": false,
	} {
		if got := repeatable(text); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}
