//go:build unix

package commandline

import (
	"os"

	"golang.org/x/sys/unix"
)

// wasClosed reports whether file was closed when the program began. Go's runtime then opens /dev/null in its place, for
// reading and writing, where a shell's >/dev/null is for writing only. (runtime/fds_unix.go)
func wasClosed(file *os.File) bool {
	flags, err := unix.FcntlInt(file.Fd(), unix.F_GETFL, 0)
	if err != nil {
		return true
	}
	info, err := file.Stat()
	null, err2 := os.Stat(os.DevNull)
	return err == nil && err2 == nil && os.SameFile(info, null) && flags&unix.O_ACCMODE == unix.O_RDWR
}
