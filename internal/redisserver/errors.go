package redisserver

import "fmt"

// BadSpec is an error in what was asked for: a usage error, exit code 2.
type BadSpec struct{ message string }

// Error is one line, without a password.
func (e *BadSpec) Error() string { return e.message }

// Unavailable means that there is no server to decide on, or not any more: exit code 3. It deliberately
// unwraps to nothing, since the texts below it may repeat a password.
type Unavailable struct{ message string }

// Error is one line that says which server, what is wrong with it and what to do, without a password.
func (e *Unavailable) Error() string { return e.message }

func badSpec(format string, args ...any) error {
	return &BadSpec{fmt.Sprintf(format, args...)}
}

func unavailable(format string, args ...any) error {
	return &Unavailable{fmt.Sprintf(format, args...)}
}
