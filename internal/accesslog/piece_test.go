package accesslog

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ratelab/internal/limit"
)

// A file that is cut at any line's end and read after its head has the same requests, and the same is found of it.
func TestPiecesAddUpToTheFile(t *testing.T) {
	for _, text := range []string{
		"web 10.0.0.1 - - [17/May/2024:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1\n" +
			"- - - [17/May/2024:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1\n\nno request\n" +
			"web 10.0.0.2:80 - - [17/May/2024:10:05:04 +0000] \"GET / HTTP/1.1\" 200 1\n" +
			"joe - - [17/May/2024:10:05:02 +0000] \"GET / HTTP/1.1\" 200 1\n",
		"\nat,key,cost\nno request\n1700000000,a,1\n1700000000.5,b,2\n1700000001,\"c\",3\n",
	} {
		read := func(head, text string) (*Found, []string) {
			var all []string
			found, err := Trace{Bad: 9}.Piece("a.log", []byte(head), strings.NewReader(text),
				func(q limit.Request, whole bool) bool {
					all = append(all, fmt.Sprint(q, whole))
					return true
				})
			if err != nil {
				t.Fatal(err)
			}
			return found, all
		}
		want, requests := read("", text)
		first, err := Trace{Bad: 9}.Piece("a.log", nil, strings.NewReader(text),
			func(limit.Request, bool) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter([]byte(text), []byte{'\n'})
		head := string(bytes.Join(lines[:first.Lines], nil))
		for at := len(head); at < len(text); at += 1 + strings.IndexByte(text[at:]+"\n", '\n') {
			a, before := read("", text[:at])
			b, after := read(head, text[at:])
			if !slices.Equal(append(before, after...), requests) || a.Lines+b.Lines != want.Lines ||
				a.Bad+b.Bad != want.Bad || a.Requests+b.Requests != want.Requests {
				t.Errorf("cut at %d: %v and %v, %+v and %+v\nwant %v, %+v", at, before, after, a, b, requests, want)
			}
			for i, note := range want.Notes {
				if n := a.Notes[i].N + b.Notes[i].N; n != note.N {
					t.Errorf("cut at %d: of %q %d lines", at, note, n)
				}
			}
		}
	}
}
