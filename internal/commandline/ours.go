package commandline

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ratelab/internal/message"
)

// marks are what the files of these programs begin with, by extension. What each of them writes has it already: no file
// was given a mark for this, and older results are known too.
var marks = map[string]*regexp.Regexp{
	".json": regexp.MustCompile(`^\{\s*(?:"schema_version": \d+,\s*(?:"kind": "comparison",|(?:"kind": "[\w-]+",\s*)?"tool": \{\s*"name": "(?:simulate|bench)")` +
		`|"\$schema": "[^"]*",\s*"title": "ratelab scenario",)`),
	".html": regexp.MustCompile(`^<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" ` +
		`content="default-src &#39;none&#39;; img-src data:; style-src &#39;sha256-`),
	".svg": regexp.MustCompile(`^<svg xmlns="http://www\.w3\.org/2000/svg" width="720" height="[0-9.]+" viewBox="0 0 720 [0-9.]+" role="img" ` +
		`font-family="Liberation Sans,Arimo,[^"]*">\n<title>`),
	".csv":  regexp.MustCompile(`^(?:t_us,offered,|interval_us,|server,algorithm,|algorithm,(?:qualifies|rank_on_this_traffic|script_sha1|requests,window_us,burst),)`),
	".yaml": regexp.MustCompile(`^# yaml-language-server: \$schema=schema\.json\n# The worst traffic found for `),
	".md": regexp.MustCompile("^(?:# Results\n\nEvery figure and picture on this page was made by `make " +
		"results`|\\*\\*[^\n]*\n\n\\| gate \\| outcome \\| compared \\|\n)"),
	".txt": regexp.MustCompile(`^(?:# bench [^\n]*\n(?:# [^\n]*\n)*)?Unit (?:p50-us|server-us/op) better=lower\n`),
	// No program writes it any more; a folder of an earlier version has one, and is still replaced.
	".hlog": regexp.MustCompile(`^#\[bench [^\n]*; values are microseconds; tags are scenario/algorithm/outcome/duration\]\n`),
}

// hgrmMark is how a percentile distribution ends: it begins as those of all tools do.
const hgrmMark = "\n#[Values are microseconds]\n"

// markSize is enough of a file to find its mark in, also behind warnings, and more than any percentile distribution
// has.
const markSize = 1 << 20

// RefuseForeign is an error that names a file in folder which the run would replace or remove, and which neither
// program has written; names are below the folder. A symbolic link is replaced itself, and what is behind it is safe.
// It names the flag.
func RefuseForeign(flag, folder string, names ...string) error {
	for _, name := range names {
		ours, err := isOurs(filepath.Join(folder, name))
		switch {
		case err != nil:
			return Usage("%s %s: %s is there and cannot be read, so that nobody knows whose it is: %w; name "+
				"another folder",
				flag, message.Path(folder), message.Path(name), WithoutPath(err))
		case !ours:
			return Usage("%s %s: %s is there, was not written by simulate or bench, and would be lost; name another "+
				"folder, or move it away",
				flag, message.Path(folder), message.Path(name))
		}
	}
	return nil
}

// isOurs reports whether path is free, a link, or a file of ours.
func isOurs(path string) (bool, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil: // it is not there, or the folder will say what is wrong
		return true, nil
	case info.Mode()&fs.ModeSymlink != 0:
		return true, nil
	case !info.Mode().IsRegular():
		return false, nil
	case filepath.Ext(path) == ".png":
		return besideOurs(path)
	}
	text, err := beginning(path)
	if filepath.Ext(path) == ".hgrm" {
		return bytes.HasSuffix(text, []byte(hgrmMark)), err
	}
	mark := marks[filepath.Ext(path)]
	return mark != nil && mark.Match(text), err
}

// besideOurs reports whether a PNG, which has no mark, lies beside its data or the same picture as SVG.
func besideOurs(path string) (bool, error) {
	stem := strings.TrimSuffix(path, ".png")
	for _, other := range []string{stem + ".csv", stem + ".svg"} {
		if _, err := os.Lstat(other); err != nil {
			continue
		}
		if ours, err := isOurs(other); ours || err != nil {
			return ours, err
		}
	}
	return false, nil
}

func beginning(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, markSize))
}
