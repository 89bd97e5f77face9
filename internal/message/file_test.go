package message

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestUnreadable(t *testing.T) {
	_, gone := os.Open(filepath.Join(t.TempDir(), "gone"))
	for _, c := range []struct {
		err  error
		is   error
		want string
	}{
		{gone, fs.ErrNotExist, "no such file"},
		{&fs.PathError{Op: "open", Path: "/srv/x", Err: fs.ErrPermission}, fs.ErrPermission,
			"permission denied; want a file that can be read"},
		{&fs.PathError{Op: "read", Path: "a\x1b", Err: io.ErrNoProgress}, io.ErrNoProgress,
			"cannot be read: " + io.ErrNoProgress.Error()},
		{io.ErrUnexpectedEOF, io.ErrUnexpectedEOF, "cannot be read: unexpected EOF"},
	} {
		got := Unreadable(c.err)
		if got.Error() != c.want || !errors.Is(got, c.is) {
			t.Errorf("%v: %q; want %q", c.err, got, c.want)
		}
	}
}
