package counting

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// cron is the function that the server calls hz times a second, without a command.
const cron = "serverCron"

// collector is the function that runs the garbage collector. Both Lua and the server call it.
const collector = "lua_gc"

// readPart reads one dump in callgrind's format. It returns the totals without the cost of serverCron.
//
// A function's name follows its number at the first use: "cfn=(7) malloc". Later only the number is written: "cfn=(7)".
// After the callee there is a line "calls=N …". The next line has a position and the callee's inclusive cost.
//
// Source: https://valgrind.org/docs/manual/cl-format.html
func readPart(r io.Reader) (counts, error) {
	var c counts
	found := false
	names := map[string]string{}
	callee, nested := "", false // the current callee; whether the next line is its cost
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

// nameOf returns the function name for (7) or "(7) malloc". In recursive cycles, callgrind appends a tick and a number
// to the name, which are removed.
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
