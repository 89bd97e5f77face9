package redisserver

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ratelab/internal/alive"
)

// The folders that hold the sockets of our own servers: how their names begin, and the file in each that names the
// process which made it. In the folder's own name it would make the socket's path too long for some systems.
const (
	folderPrefix = "ratelab-"
	ownerName    = "owner"
)

// makeFolder makes a folder for the socket of a server of ours, which Close deletes, and deletes those of runs that
// were killed before they could.
func makeFolder() (string, error) {
	folder, err := os.MkdirTemp("", folderPrefix)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(folder, ownerName), []byte(alive.Self().String()), 0o600); err != nil {
		return "", errors.Join(err, os.RemoveAll(folder))
	}
	if info, err := os.Stat(folder); err == nil {
		sweepFolders(filepath.Dir(folder), info.ModTime())
	}
	return folder, nil
}

// sweepFolders deletes what killed runs have left among the temporary files. What cannot be deleted, such as another
// user's, stays.
func sweepFolders(temp string, now time.Time) {
	entries, _ := os.ReadDir(temp)
	for _, e := range entries {
		path := filepath.Join(temp, e.Name())
		if e.IsDir() && strings.HasPrefix(e.Name(), folderPrefix) && ownerLeft(path, e, now) && !serves(path) {
			os.RemoveAll(path)
		}
	}
}

// ownerLeft reports whether a folder's owner has ended. Anybody may make folders there: what is no file is not opened.
func ownerLeft(path string, e fs.DirEntry, now time.Time) bool {
	file := filepath.Join(path, ownerName)
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() || info.Size() > 100 {
		return false
	}
	text, err := os.ReadFile(file)
	owner, ours := alive.Parse(string(text))
	return err == nil && ours && owner.Left(e, now)
}

// serves reports whether a server still listens in the folder: one that outlived its run, as it may where the kernel
// does not end it, would be out of reach without it.
func serves(folder string) bool {
	for _, socket := range []string{socketName, filepath.Join("s", socketName)} {
		conn, err := net.DialTimeout("unix", filepath.Join(folder, socket), grace)
		if err == nil {
			conn.Close()
			return true
		}
	}
	return false
}
