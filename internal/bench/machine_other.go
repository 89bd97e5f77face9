//go:build !linux && !darwin

package bench

import "os"

// kernel is not told.
func kernel() string { return "" }

// processor is what Windows says of it.
func processor() string { return os.Getenv("PROCESSOR_IDENTIFIER") }
