package bench

import (
	"runtime"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/host"

	"ratelab/internal/result"
)

// thisMachine is where the generator runs. What cannot be told is empty.
func thisMachine() result.Machine {
	m := result.Machine{OS: runtime.GOOS, Architecture: runtime.GOARCH, Cores: runtime.NumCPU(), Go: runtime.Version()}
	m.Kernel, _ = host.KernelVersion()
	if processors, _ := cpu.Info(); len(processors) > 0 {
		m.CPU = processors[0].ModelName
	}
	return m
}
