package counting

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// cron is what the server calls by itself, as often as hz says.
const cron = "serverCron"

// collector is what a server's Lua, and the server, call to have garbage collected.
const collector = "lua_gc"

// readPart reads a part in callgrind's format: what it sums up to, without what serverCron took.
//
// A function's name stands behind its number where it is first named: "cfn=(7) malloc", then "cfn=(7)". After the
// callee come "calls=N …" and, on the next line, a position and what the callee cost together with all that it
// called.
//
// Source: https://valgrind.org/docs/manual/cl-format.html
func readPart(r io.Reader) (counts, error) {
	var c counts
	found := false
	names := map[string]string{}
	callee, nested := "", false // the callee of a call, and whether the next line is what it cost
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), "=")
		switch {
		case nested:
			nested = false
			if callee == cron {
				cost, err := lastNumber(lines.Text())
				if err != nil {
					return c, err
				}
				c.Instructions -= cost
			}
		case key == "fn" || key == "cfn":
			callee = nameOf(names, value)
		case key == "calls":
			nested = true
			count, _, _ := strings.Cut(value, " ")
			n, err := strconv.ParseInt(count, 10, 64)
			if err != nil {
				return c, fmt.Errorf("callgrind's counts: %q", lines.Text())
			}
			if callee == collector {
				c.Collections += n
			}
		case strings.HasPrefix(lines.Text(), "totals:"):
			total, err := lastNumber(lines.Text())
			if err != nil {
				return c, err
			}
			c.Instructions, found = c.Instructions+total, true
		}
	}
	if err := lines.Err(); err != nil {
		return c, err
	}
	if !found {
		return c, fmt.Errorf("callgrind's counts have no totals")
	}
	return c, nil
}

// nameOf is the name that (7) or "(7) malloc" stands for; copies of a function in a cycle have a tick and a number.
func nameOf(names map[string]string, value string) string {
	number, name, named := strings.Cut(value, " ")
	if named {
		name, _, _ = strings.Cut(name, "'")
		names[number] = name
	}
	return names[number]
}

func lastNumber(line string) (int64, error) {
	n, err := strconv.ParseInt(line[strings.LastIndexByte(line, ' ')+1:], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("callgrind's counts: %q", line)
	}
	return n, nil
}
