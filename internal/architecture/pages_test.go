package architecture

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// mostLines is how long README.md may become: what a stranger reads before the first run.
const mostLines = 150

func TestREADMEIsShort(t *testing.T) {
	if lines := strings.Count(readPage(t, "README.md"), "\n"); lines > mostLines {
		t.Errorf("README.md has %d lines; at most %d: move what goes into depth to the page in docs/ whose "+
			"subject it is",
			lines, mostLines)
	}
}

// beginning is a title, and a sentence that says what the page is for.
var beginning = regexp.MustCompile(`^# .+\n\n([^.\n]+\n?)*[Tt]his page says `)

// Each page in docs says first what it is for.
func TestDocsSayWhatTheyAreFor(t *testing.T) {
	for _, name := range pages(t) {
		if path.Dir(name) != "docs" {
			continue
		}
		if !beginning.MatchString(readPage(t, name)) {
			t.Errorf("%s: want a line `# Title`, an empty one, and a sentence `This page says …`", name)
		}
	}
}

// Every page in docs is one click from README.md.
func TestREADMELeadsToAllDocs(t *testing.T) {
	readme := readPage(t, "README.md")
	for _, name := range pages(t) {
		if path.Dir(name) == "docs" && !strings.Contains(readme, "("+name) {
			t.Errorf("README.md has no link to %s; add one where a reader would look for it", name)
		}
	}
}

// Every relative link in a page names a file that there is, and a heading where it has a #.
func TestLinks(t *testing.T) {
	checked := 0
	for _, name := range pages(t) {
		for _, link := range links(readPage(t, name)) {
			if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
				continue
			}
			checked++
			if problem := follow(t, name, link); problem != "" {
				t.Errorf("%s: link %q: %s", name, link, problem)
			}
		}
	}
	if checked < 50 {
		t.Errorf("%d links checked; are the pages elsewhere?", checked)
	}
}

// follow says what is wrong with a page's link.
func follow(t *testing.T, page, link string) string {
	file, heading, hasHeading := strings.Cut(link, "#")
	target := page
	if file != "" {
		target = path.Join(path.Dir(page), file)
	}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(target))); err != nil {
		return "there is no " + target
	}
	switch {
	case !hasHeading:
	case path.Ext(target) == ".html":
		if !strings.Contains(readPage(t, target), fmt.Sprintf(" id=%q", heading)) {
			return target + " has nothing with the id " + heading
		}
	case path.Ext(target) != ".md" || !slices.Contains(anchors(readPage(t, target)), heading):
		return target + " has no heading #" + heading
	}
	return ""
}

// CONTRIBUTING.md explains every make target, pages name only targets that exist, and make help lists at most twelve.
func TestMakeTargets(t *testing.T) {
	defined, listed := map[string]bool{}, 0
	targets := regexp.MustCompile(`(?m)^([a-z][a-z-]*):(.* ## )?`)
	for _, found := range targets.FindAllStringSubmatch(readPage(t, "Makefile"), -1) {
		target := found[1]
		defined[target] = true
		if found[2] != "" {
			listed++
		}
		if !strings.Contains(readPage(t, "CONTRIBUTING.md"), "| `make "+target+"` |") {
			t.Errorf("CONTRIBUTING.md does not say what make %s is for; add a line to its table", target)
		}
	}
	if listed > 12 {
		t.Errorf("make help lists %d targets; at most 12: take the help text (##) from one", listed)
	}
	named := regexp.MustCompile("(?m)(?:`make ([a-z][a-z -]*)`|^make ([a-z-]+)$)")
	for _, name := range pages(t) {
		for _, found := range named.FindAllStringSubmatch(readPage(t, name), -1) {
			for _, target := range strings.Fields(found[1] + found[2]) {
				if !defined[target] {
					t.Errorf("%s: make %s: the Makefile has no such target", name, target)
				}
			}
		}
	}
}

// pages are the documents that readers meet, by their paths from the root.
func pages(t *testing.T) []string {
	t.Helper()
	all := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	for _, folder := range []string{"docs", "results"} {
		err := fs.WalkDir(os.DirFS(root), folder, func(name string, d fs.DirEntry, err error) error {
			if err == nil && path.Ext(name) == ".md" && !strings.HasPrefix(name, "results/latest") {
				all = append(all, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	codeBlock = regexp.MustCompile("(?ms)^```.*?^```$")
	codeSpan  = regexp.MustCompile("`[^`\n]*`")
	linked    = regexp.MustCompile(`(?:\]\(|<[^<>]* src(?:set)?=")([^()"\s]+)[)"]`)
	headed    = regexp.MustCompile(`(?m)^#{1,6} +(.*)$`)
)

// links are the targets of a page's links and pictures, those in code left out.
func links(text string) (all []string) {
	text = codeSpan.ReplaceAllString(codeBlock.ReplaceAllString(text, ""), "code")
	for _, found := range linked.FindAllStringSubmatch(text, -1) {
		all = append(all, found[1])
	}
	return all
}

// anchors are the names that GitHub gives to a page's headings: small letters, digits, - and _, a hyphen for a space,
// and a number behind one that was there before.
func anchors(text string) (all []string) {
	times := map[string]int{}
	for _, found := range headed.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(found[1]))
		if before := times[name]; before > 0 {
			all = append(all, name+"-"+strconv.Itoa(before))
		} else {
			all = append(all, name)
		}
		times[name]++
	}
	return all
}
