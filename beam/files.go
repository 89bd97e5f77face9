package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"ratelab/internal/accesslog"
	"ratelab/internal/cli"
	"ratelab/internal/limit"
	"ratelab/internal/message"
)

// File is one of the log's files.
type File struct {
	Path   string
	Number int
	Name   string // for messages
	Head   []byte // its first lines, up to the first request; later pieces need them too

	size   int64
	cut    bool // the file can be split into pieces
	format accesslog.Format
}

// Piece is the part of a file with the lines that begin at or after From and before To. If To is 0, it is the whole
// file.
type Piece struct {
	File
	From, To int64
}

// find finds the trace's files, on any file system that Beam supports, and reads the head of each. files are the
// non-empty ones. requests is an estimate.
func find(ctx context.Context, t *accesslog.Trace, globs []string) (files []*File, requests int64, err error) {
	var paths []string
	for _, glob := range globs {
		if _, err := os.Stat(glob); err == nil { // an existing file, even if its name looks like a pattern
			paths = append(paths, glob)
			continue
		}
		fs, err := filesystem.New(ctx, glob)
		var some []string
		if err == nil {
			defer fs.Close()
			some, err = fs.List(ctx, glob)
		}
		if err == nil && some == nil {
			return nil, 0, cli.Usage("--trace %s: no file has such a name; want a file, or a pattern such as "+
				"'logs/*.gz'", message.Path(glob))
		}
		if err != nil {
			return nil, 0, cli.Usage("--trace %s: %w", message.Path(glob), message.Unreadable(err))
		}
		slices.Sort(some)
		paths = append(paths, some...)
	}
	for i, path := range paths {
		f := &File{Path: everywhere(path), Number: i, Name: message.Path(path)}
		n, err := f.look(ctx, *t)
		if errors.Is(err, accesslog.ErrEmpty) {
			continue
		}
		if err != nil {
			return nil, 0, cli.Exit(cli.ExitUsage, err)
		}
		files, requests = append(files, f), requests+n
		if first := files[0]; first.format != f.format {
			return nil, 0, cli.Usage("%s is %s, and %s is %s; want files of one format", first.Name, first.format,
				f.Name, f.format)
		}
	}
	if files == nil {
		return nil, 0, cli.Usage("%s: %w", message.Path(paths[0]), accesslog.ErrEmpty)
	}
	t.File, t.More, t.Format = paths[0], paths[1:], files[0].format
	return files, requests, nil
}

// zippedBytes is a low estimate of the bytes per request in a gzip file.
const zippedBytes = 10

// look reads the head, and estimates the number of requests.
func (f *File) look(ctx context.Context, t accesslog.Trace) (requests int64, err error) {
	if info, err := os.Stat(f.Path); err == nil && !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s: not a regular file; want files that workers can read, such as 'logs/*.gz'", f.Name)
	}
	in, fs, err := open(ctx, f.Path)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	if f.size, err = fs.Size(ctx, f.Path); err != nil {
		return 0, err
	}
	var read bytes.Buffer
	found, err := t.Piece(f.Name, nil, io.TeeReader(in, &read), func(limit.Request, bool) bool { return false })
	if err == nil && found.Bad > t.Bad {
		err = errors.New(found.Shown[0])
	}
	if err != nil {
		return 0, err
	}
	f.format = found.Format
	text := read.Bytes()
	if bytes.HasPrefix(text, []byte("\x1f\x8b")) {
		return f.size / zippedBytes, nil
	}
	_, f.cut = in.(io.ReaderAt)
	for range found.Lines {
		f.Head = text[:len(f.Head)+bytes.IndexByte(text[len(f.Head):], '\n')+1]
	}
	return f.size * int64(1+bytes.Count(text, []byte{'\n'})) / int64(len(text)), nil
}

// everywhere makes a path absolute, so that it works in another working directory. A URL stays as it is.
func everywhere(path string) string {
	if abs, err := filepath.Abs(path); err == nil && !strings.Contains(path, "://") {
		return abs
	}
	return path
}

func open(ctx context.Context, path string) (in io.ReadCloser, fs filesystem.Interface, err error) {
	if fs, err = filesystem.New(ctx, path); err == nil {
		in, err = fs.OpenRead(ctx, path)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", message.Path(path), message.Unreadable(err))
	}
	return in, fs, err
}

// open opens the piece. If reading fails later, the reading has the reason in failed.
func (p *Piece) open(ctx context.Context) (r *reading, err error) {
	in, _, err := open(ctx, p.Path)
	if err != nil || p.To == 0 {
		return &reading{Reader: in, Closer: in}, err
	}
	at := in.(io.ReaderAt)
	from, err := lineFrom(at, p.From)
	to, err2 := lineFrom(at, p.To)
	return &reading{io.NewSectionReader(at, from, to-from), in, to - from, nil}, errors.Join(err, err2)
}

// lineFrom returns the beginning of the first line that begins at or after offset.
func lineFrom(in io.ReaderAt, offset int64) (int64, error) {
	if offset == 0 {
		return 0, nil
	}
	line, err := bufio.NewReader(io.NewSectionReader(in, offset-1, math.MaxInt64-offset)).ReadBytes('\n')
	if err == io.EOF {
		err = nil
	}
	return offset - 1 + int64(len(line)), err
}

// reading is a reader that remembers its error.
type reading struct {
	io.Reader
	io.Closer
	left   int64 // bytes that must follow
	failed error
}

// Read implements io.Reader.
func (r *reading) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.left -= int64(n)
	if r.failed = err; err == io.EOF {
		r.failed = nil
		if r.left > 0 {
			r.failed = errors.New("a file is shorter than when the run began")
		}
	}
	return n, err
}
