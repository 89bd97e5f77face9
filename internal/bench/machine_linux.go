package bench

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// kernel is the release, such as 6.1.0-18-amd64.
func kernel() string {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return ""
	}
	return unix.ByteSliceToString(name.Release[:])
}

// processor is the first one's name in /proc/cpuinfo, which some architectures do not have.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	return processorIn(string(text))
}

func processorIn(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
		name, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
