// Command bench measures on a real server and on the wall clock what rate limiters' Lua costs, and judges whether a
// change made it slower. See bench --help.
package main

import (
	"os"

	"ratelab/internal/commandline"
	_ "ratelab/internal/container/docker" // --redis container
)

func main() {
	stop := commandline.Interrupts(os.Exit)
	os.Exit(run(os.Args[1:], commandline.Streams{Stdout: commandline.Writable(os.Stdout), Stderr: os.Stderr,
		Stdin: &commandline.Stdin{From: os.Stdin}, Stop: stop}))
}
