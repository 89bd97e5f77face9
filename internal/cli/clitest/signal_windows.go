package clitest

import "os"

// signals are those that scripts send.
var signals = map[string]os.Signal{"INT": os.Interrupt, "KILL": os.Kill}
