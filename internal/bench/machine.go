package bench

import (
	"runtime"

	"ratelab/internal/result"
)

// thisMachine is where the generator runs. What cannot be told is empty.
func thisMachine() result.Machine {
	return result.Machine{
		OS: runtime.GOOS, Architecture: runtime.GOARCH, Kernel: kernel(), CPU: processor(), Cores: runtime.NumCPU(),
		Go: runtime.Version(),
	}
}
