package recording

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ratelab/internal/wording"
)

// Read reads what WriteJSON wrote: a file, or FileName in a folder. It refuses, as a *BadFile, what is of another kind
// or schema version, was cut short or edited, has unknown fields, or sums that do not agree.
func Read(path string) (*Recording, error) {
	doc, err := read(path, wantRun, KindBench)
	if err != nil {
		return nil, err
	}
	return doc.(*Recording), nil
}

// ReadPaired is Read for what WritePaired wrote: a file, or PairedFileName in a folder.
func ReadPaired(path string) (*Paired, error) {
	doc, err := read(path, wantPaired, KindPaired)
	if err != nil {
		return nil, err
	}
	return doc.(*Paired), nil
}

// ReadAny reads either: the result is a *Recording or a *Paired. Of a folder with both it takes the Recording.
func ReadAny(path string) (any, error) { return read(path, wantEither, KindBench, KindPaired) }

func read(path, want string, kinds ...string) (any, error) {
	path = inFolder(path, kinds)
	file, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, want, err)
	}
	defer file.Close()
	in := bufio.NewReader(file)
	start, _ := in.Peek(64) // an error comes again with the rest
	bad := checkStart(start, want)
	if bad == nil {
		var data []byte
		if data, err = io.ReadAll(in); err != nil {
			return nil, unreadable(path, want, err)
		}
		var doc any
		if doc, bad = decode(data, want, kinds); bad == nil {
			return doc, nil
		}
	}
	bad.Path = path
	return nil, bad
}

// inFolder is the file that is meant by a folder: the first of the kinds that is there.
func inFolder(path string, kinds []string) string {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return path
	}
	names := map[string]string{KindBench: FileName, KindPaired: PairedFileName}
	for _, kind := range kinds {
		if file := filepath.Join(path, names[kind]); exists(file) {
			return file
		}
	}
	return filepath.Join(path, names[kinds[0]])
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// decode goes from the coarse to the fine, because every finer complaint about a file of another kind misleads.
func decode(data []byte, want string, kinds []string) (any, *BadFile) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		return nil, notJSON(data)
	}
	kind, bad := checkKind(compact.Bytes(), want, kinds)
	if bad != nil {
		return nil, bad
	}
	if broken := sealBroken(compact.Bytes()); broken != "" {
		return nil, &BadFile{Problem: "it was edited or damaged: " + broken, Remedy: wantOriginal}
	}
	if kind == KindBench {
		var doc struct {
			Recording
			Seal
		}
		return finish(data, &doc, &doc.Recording)
	}
	var doc struct {
		Paired
		Seal
	}
	return finish(data, &doc, &doc.Paired)
}

// Seal is the last field of a document in JSON.
type Seal struct {
	Checksum string `json:"checksum"` // sha256 of the document without blanks and without this field
}

// finish decodes data into whole, of which doc is the part that is handed out.
func finish[T interface{ Check() error }](data []byte, whole any, doc T) (any, *BadFile) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(whole); err != nil {
		return nil, undecodable(data, err)
	}
	if err := doc.Check(); err != nil {
		return nil, &BadFile{Problem: "its sums do not agree: " + err.Error(), Remedy: wantOriginal, Err: err}
	}
	return doc, nil
}

// checkStart sees at once that a file of many GB, such as a list of decisions, is none of ours.
func checkStart(start []byte, want string) *BadFile {
	start = bytes.TrimLeft(start, " \t\r\n")
	switch {
	case len(start) == 0:
		return &BadFile{Problem: "is empty", Remedy: want}
	case start[0] != '{':
		return &BadFile{Problem: "is not a JSON document", Remedy: want}
	}
	return nil
}

// notJSON asks again for what is wrong: Compact does not say where.
func notJSON(data []byte) *BadFile {
	err := json.Unmarshal(data, new(json.RawMessage))
	bad := &BadFile{Problem: "broken JSON: " + err.Error(), Remedy: wantOriginal, Err: err}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		bad.At = position(data, syntax.Offset-1)
		if strings.Contains(syntax.Error(), "unexpected end") {
			bad.At = position(data, int64(len(data)))
			bad.Problem = "it was cut short: the JSON ends too early"
		}
	}
	return bad
}

func undecodable(data []byte, err error) *BadFile {
	bad := &BadFile{Problem: strings.TrimPrefix(err.Error(), "json: "), Remedy: wantOriginal, Err: err}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		bad.At = position(data, wrong.Offset)
		bad.Problem = fmt.Sprintf("%s is a %s", wording.Bare(wrong.Field), wrong.Value)
	}
	return bad
}
