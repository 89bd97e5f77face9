package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"ratelab/internal/cli"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/traffic"
)

// File is one of the log's files.
type File struct {
	Path   string
	Number int
	Size   int64
	Head   []byte // its first lines, to the first request: what is cut off it is read after them
	Name   string // for messages

	whole  bool // it cannot be cut
	format traffic.Format
}

// Piece is the lines of a file that begin from From on and before To.
type Piece struct {
	File
	From, To int64
}

// match finds the files that the globs name, in their order, on any file system that Beam knows.
func match(ctx context.Context, globs []string) (files []*File, err error) {
	for _, glob := range globs {
		fs, err := filesystem.New(ctx, glob)
		var paths []string
		if err == nil {
			defer fs.Close()
			paths, err = fs.List(ctx, glob)
		}
		if err == nil && len(paths) == 0 {
			return nil, cli.Usage("--trace %s: no file has such a name; want a file, or a pattern such as 'logs/*.gz'",
				message.Path(glob))
		}
		slices.Sort(paths)
		for i := 0; i < len(paths) && err == nil; i++ {
			f := &File{Path: paths[i], Number: len(files), Name: message.Path(paths[i])}
			f.Size, err = fs.Size(ctx, f.Path)
			files = append(files, f)
		}
		if err != nil {
			return nil, cli.Usage("--trace %s: %w", message.Path(glob), message.Unreadable(err))
		}
	}
	return files, nil
}

// look reads the head of each file. It leaves out those that are empty, wants the others to have one format, and
// estimates the requests.
func look(ctx context.Context, t traffic.Trace, all []*File) (files []*File, requests int64, err error) {
	for _, f := range all {
		each, err := f.look(ctx, t)
		if errors.Is(err, traffic.ErrEmpty) {
			continue
		}
		if err != nil {
			return nil, 0, cli.Exit(cli.ExitUsage, err)
		}
		files, requests = append(files, f), requests+int64(float64(f.Size)/each)
		if first := files[0]; first.format != f.format {
			return nil, 0, cli.Usage("%s is %s, and %s is %s; want files of one format", first.Name, first.format, f.Name,
				f.format)
		}
	}
	if files == nil {
		return nil, 0, cli.Usage("%s: %w", all[0].Name, traffic.ErrEmpty)
	}
	return files, requests, nil
}

// zippedBytes is what a request takes in a gzip file, about, and rather less.
const zippedBytes = 10

// look reads the head, and tells how many bytes a request has in the file, about.
func (f *File) look(ctx context.Context, t traffic.Trace) (each float64, err error) {
	in, err := open(ctx, f.Path)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	var read bytes.Buffer
	found, err := t.Piece(f.Name, nil, io.TeeReader(in, &read), func(limit.Request, bool) bool { return false })
	if err == nil && found.Bad > t.Bad {
		err = errors.New(found.Shown[0])
	}
	if err != nil {
		return 0, err
	}
	text := read.Bytes()
	_, anywhere := in.(io.ReaderAt)
	zipped := bytes.HasPrefix(text, []byte("\x1f\x8b"))
	f.format, f.whole = found.Format, !anywhere || zipped
	for range found.Lines {
		f.Head = text[:len(f.Head)+bytes.IndexByte(text[len(f.Head):], '\n')+1]
	}
	if zipped {
		return zippedBytes, nil
	}
	return float64(len(text)) / float64(1+bytes.Count(text, []byte{'\n'})), nil
}

func open(ctx context.Context, path string) (io.ReadCloser, error) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, err
	}
	in, err := fs.OpenRead(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", message.Path(path), message.Unreadable(err))
	}
	return in, nil
}

// pieces cuts a file into pieces of that size, unless it cannot be cut.
func (f *File) pieces(size int64) (all []Piece) {
	if f.whole {
		return []Piece{{*f, 0, math.MaxInt64}}
	}
	for from := int64(0); from == 0 || from < f.Size; from += size {
		all = append(all, Piece{*f, from, min(from+size, f.Size)})
	}
	return all
}

// open opens the piece. failed is why it could not be read to its end.
func (p *Piece) open(ctx context.Context) (r *reading, err error) {
	in, err := open(ctx, p.Path)
	if err != nil || p.To == math.MaxInt64 {
		return &reading{Reader: in, Closer: in}, err
	}
	at := in.(io.ReaderAt)
	from, err := lineFrom(at, p.From)
	to, err2 := lineFrom(at, p.To)
	return &reading{Reader: io.NewSectionReader(at, from, to-from), Closer: in}, errors.Join(err, err2)
}

// lineFrom is where the first line begins that begins at offset or later.
func lineFrom(in io.ReaderAt, offset int64) (int64, error) {
	if offset == 0 {
		return 0, nil
	}
	r := bufio.NewReader(io.NewSectionReader(in, offset-1, math.MaxInt64-offset))
	for offset--; ; {
		part, err := r.ReadSlice('\n')
		if offset += int64(len(part)); err == io.EOF || err == nil {
			return offset, nil
		} else if err != bufio.ErrBufferFull {
			return 0, err
		}
	}
}

// reading remembers why it failed.
type reading struct {
	io.Reader
	io.Closer
	failed error
}

// Read implements io.Reader.
func (r *reading) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err != io.EOF {
		r.failed = err
	}
	return n, err
}
