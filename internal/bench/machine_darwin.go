package bench

import "golang.org/x/sys/unix"

// kernel is Darwin's release, such as 23.4.0.
func kernel() string { return sysctl("kern.osrelease") }

// processor is its name, such as Apple M2.
func processor() string { return sysctl("machdep.cpu.brand_string") }

func sysctl(name string) string {
	value, err := unix.Sysctl(name)
	if err != nil {
		return ""
	}
	return value
}
