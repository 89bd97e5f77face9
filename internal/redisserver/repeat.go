package redisserver

import (
	"net/url"
	"regexp"
	"strings"
	"sync"

	"ratelab/internal/message"
)

// notRepeated stands where a message would else quote what somebody gave as a server.
const notRepeated = "(not repeated here, it may hold a password)"

// harmless are a word, a path, or an image's name: with a registry's port, a tag and a digest. Nothing in it looks like
// the user, the password or the host of a URL, however that was mistyped.
var harmless = onDemand(`^([A-Za-z]:\\)?[\pL\pN ._/\\+~-]*(:[0-9]{1,5}/[\pL\pN._/-]+)?(:[A-Za-z0-9_.-]{1,128})?(@sha256:[0-9a-f]{64})?$`)

// onDemand is a pattern whose repetitions take milliseconds to compile: every start of a program would wait for them.
func onDemand(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// Repeatable reports whether a message may quote what was given as a server, an image or a program: it can hold no
// password.
func Repeatable(text string) bool {
	return harmless().MatchString(text) && !strings.Contains(text, "//")
}

// Repeat is text in quotes for a message, or words in its place where it is not Repeatable.
func Repeat(text string) string {
	if Repeatable(text) {
		return message.Quote(text)
	}
	return notRepeated
}

// NameOf is a spec of Start as a result may name it: a URL without user, password and parameters, and of one that
// cannot be read the scheme alone.
func NameOf(spec string) string {
	scheme, _, isURL := strings.Cut(spec, "://")
	kind, argument, _ := strings.Cut(spec, "=")
	switch {
	case isURL && word.MatchString(scheme):
		if _, err := parseURL(spec, func(string) string { return "" }); err != nil {
			return scheme + "://…"
		}
		u, err := url.Parse(spec)
		if err != nil {
			return scheme + "://…"
		}
		return u.Scheme + "://" + u.Host + u.Path
	case Repeatable(spec), word.MatchString(kind) && Repeatable(argument):
		return spec
	case word.MatchString(kind):
		return kind + "=…"
	}
	return "…"
}
