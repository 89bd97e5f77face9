// Command simulate replays traffic scenarios against rate limiters' Lua in virtual time and shows what each
// admits. See simulate --help.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	stop := make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		close(stop)
		<-signals
		os.Exit(exitInterrupted)
	}()
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, stop))
}
