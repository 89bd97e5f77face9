//go:build !linux && !darwin && !windows

package alive

// pidSpace is not known here: nothing is judged by its process.
func pidSpace() string { return "" }

func look(int) (running bool, start string) { return true, "" }

func began(int) string { return "" }
