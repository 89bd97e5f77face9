package clitest

import "os"

// signals are the signals that scripts can send.
var signals = map[string]os.Signal{"INT": os.Interrupt, "KILL": os.Kill}
