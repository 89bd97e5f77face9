package clitest

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Page is a document with examples for readers: README.md, or one of docs.
type Page struct {
	Name string // path from the repository's root, with slashes
	Text string

	root string // the repository's root folder
}

// Block is a fenced code block of a page.
type Block struct {
	Page     *Page
	Language string // the word after the opening fence
	Text     string // the text between the fences
	Line     int    // of the opening fence, counted from 1
}

// Pages reads README.md and docs/*.md. It expects the test to run two folders below the repository's root.
func Pages(t *testing.T) []*Page {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var pages []*Page
	for _, file := range append([]string{filepath.Join(root, "README.md")}, files...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, &Page{Name: filepath.ToSlash(name), Text: string(text), root: root})
	}
	return pages
}

var fenced = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$")

// Blocks returns the fenced blocks in a language.
func (p *Page) Blocks(language string) (all []Block) {
	for _, at := range fenced.FindAllStringSubmatchIndex(p.Text, -1) {
		if p.Text[at[2]:at[3]] == language {
			line := 1 + strings.Count(p.Text[:at[0]], "\n")
			all = append(all, Block{Page: p, Language: language, Text: p.Text[at[4]:at[5]], Line: line})
		}
	}
	return all
}

// title matches a comment on a block's first line that names the block's file: # my.yaml or -- my.lua.
var title = regexp.MustCompile(`^(?:#|--) ([\w.-]+\.(?:yaml|lua))\n`)

// File returns the file name of a block, or "" if it has none.
func (b Block) File() string {
	if found := title.FindStringSubmatch(b.Text); found != nil {
		return found[1]
	}
	return ""
}

// SaveFiles writes the files of all pages into a folder. A page may use files of another page, so no file may be shown
// twice.
func SaveFiles(t *testing.T, pages []*Page, folder string) {
	t.Helper()
	from := map[string]string{}
	for _, p := range pages {
		for _, b := range slices.Concat(p.Blocks("yaml"), p.Blocks("lua")) {
			name := b.File()
			if name == "" {
				continue
			}
			if from[name] != "" {
				t.Errorf("%s:%d: %s shows a file %s, too; give one of them another name, or show it once",
					p.Name, b.Line, from[name], name)
			}
			from[name] = p.Name
			if err := os.WriteFile(filepath.Join(folder, name), []byte(b.Text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// replace replaces the text of block b, also in the page's file.
func (b Block) replace(t *testing.T, text string) {
	t.Helper()
	before, after := "```"+b.Language+"\n"+b.Text+"```", "```"+b.Language+"\n"+text+"```"
	b.Page.Text = strings.Replace(b.Page.Text, before, after, 1)
	file := filepath.Join(b.Page.root, filepath.FromSlash(b.Page.Name))
	if err := os.WriteFile(file, []byte(b.Page.Text), 0o644); err != nil {
		t.Fatal(err)
	}
}

var picture = regexp.MustCompile(`\]\(charts/([\w.-]+\.svg)\)`)

// charts returns the names of the charts that the page shows from the folder charts beside it.
func (p *Page) charts() (names []string) {
	for _, found := range picture.FindAllStringSubmatch(p.Text, -1) {
		names = append(names, found[1])
	}
	return names
}

// showsChart compares a chart of the page with the one that a call drew in folder. It returns false if the call drew no
// chart of that name.
func (p *Page) showsChart(t *testing.T, name, folder string, rewrite bool) bool {
	t.Helper()
	drawn, err := os.ReadFile(filepath.Join(folder, "results", "latest", name))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(p.root, filepath.FromSlash(filepath.Dir(p.Name)), "charts", name)
	if rewrite {
		if err := os.WriteFile(file, drawn, 0o644); err != nil {
			t.Fatal(err)
		}
		return true
	}
	if shown, err := os.ReadFile(file); err != nil || !bytes.Equal(shown, drawn) {
		t.Errorf("%s shows another chart %s than the call draws (%v); make goldens takes it", p.Name, name, err)
	}
	return true
}
