package bench

import (
	"runtime"

	"ratelab/internal/benchresult"
)

// thisMachine is where the generator runs. What cannot be told is empty.
func thisMachine() benchresult.Machine {
	return benchresult.Machine{
		OS: runtime.GOOS, Architecture: runtime.GOARCH, Kernel: kernel(), CPU: processor(), Cores: runtime.NumCPU(),
		Go: runtime.Version(),
	}
}
