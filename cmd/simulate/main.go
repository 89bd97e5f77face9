// Command simulate replays traffic scenarios against rate limiters' Lua in virtual time and shows what each
// admits. See simulate --help.
package main

import (
	"os"

	"ratelab/internal/commandline"
)

func main() {
	stop := commandline.Interrupts(os.Exit)
	os.Exit(run(os.Args[1:], commandline.Streams{Stdout: commandline.Writable(os.Stdout), Stderr: os.Stderr,
		Stdin: &commandline.Stdin{From: os.Stdin}, Stop: stop}))
}
