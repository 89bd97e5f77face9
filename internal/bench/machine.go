package bench

import (
	"runtime"

	"ratelab/internal/recording"
)

// thisMachine is where the generator runs. What cannot be told is empty.
func thisMachine() recording.Machine {
	return recording.Machine{
		OS: runtime.GOOS, Architecture: runtime.GOARCH, Kernel: kernel(), CPU: processor(), Cores: runtime.NumCPU(), Go: runtime.Version(),
	}
}
