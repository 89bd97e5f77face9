// Package processors keeps a server and those who load it off each other's processors. On a small machine the two
// otherwise push each other aside, and what the server's own clock then counts as work is time in which it stood
// still: on two cores the same script measured again differed by 11 % where the kernel chose, and by 3 % apart, with
// a third more calls going through. It knows neither Redis nor Go's scheduler.
package processors

import "errors"

// ErrUnsupported means that this system does not let a program choose.
var ErrUnsupported = errors.New("processors cannot be chosen on this system")

// Apart divides the processors that this process may use: one for a server, the others for its callers. ok is false
// where there is only one, or where the system does not tell.
func Apart() (server int, callers []int, ok bool) {
	all, err := Allowed(0)
	if err != nil || len(all) < 2 {
		return 0, nil, false
	}
	return all[0], all[1:], true
}
