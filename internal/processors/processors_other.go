//go:build !linux

package processors

// Allowed is not known here.
func Allowed(int) ([]int, error) { return nil, ErrUnsupported }

// Confine cannot be done here.
func Confine(int, []int) error { return ErrUnsupported }
