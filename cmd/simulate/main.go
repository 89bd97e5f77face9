// Command simulate replays traffic scenarios against rate limiters' Lua in virtual time and shows what each
// admits. See simulate --help.
package main

import (
	"os"
	"runtime/debug"

	"ratelab/internal/commandline"
	_ "ratelab/internal/container/docker" // --redis container
)

// gcPercent: scripts on the embedded server make much garbage, and little of what they make stays. A collection at
// three times what is in use, and not at twice, saves a twelfth of the processor time, for some 200 MB.
const gcPercent = 200

// modelsGCPercent is for the models, which make little garbage, and keep much of what they make where keys are many.
const modelsGCPercent = 75

// collectAt sets when garbage is collected, unless the environment says so.
func collectAt(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

func main() {
	collectAt(gcPercent)
	stop := commandline.Interrupts(os.Exit)
	os.Exit(run(os.Args[1:], commandline.Streams{Stdout: commandline.Writable(os.Stdout), Stderr: os.Stderr,
		Stdin: &commandline.Stdin{From: os.Stdin}, Stop: stop}))
}
