package clitest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Page is a document whose examples a reader may follow: README.md, or one of docs.
type Page struct {
	Name string // from the repository's root, with slashes
	Text string

	root string // the folder of the repository
}

// Block is a fenced block of a page.
type Block struct {
	Page     *Page
	Language string // what stands behind the opening fence
	Text     string // what stands between the fences
	Line     int    // of the opening fence, from 1 on
}

// Pages reads README.md and docs/*.md. A test of a command runs two folders below them.
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

// Blocks are the fenced blocks in one language.
func (p *Page) Blocks(language string) (all []Block) {
	for _, at := range fenced.FindAllStringSubmatchIndex(p.Text, -1) {
		if p.Text[at[2]:at[3]] == language {
			line := 1 + strings.Count(p.Text[:at[0]], "\n")
			all = append(all, Block{Page: p, Language: language, Text: p.Text[at[4]:at[5]], Line: line})
		}
	}
	return all
}

// title is the comment on a block's first line by which a block is a file: # my.yaml or -- my.lua.
var title = regexp.MustCompile(`^(?:#|--) ([\w.-]+\.(?:yaml|lua))\n`)

// File is the name under which a reader saves the block; empty where it has none.
func (b Block) File() string {
	if found := title.FindStringSubmatch(b.Text); found != nil {
		return found[1]
	}
	return ""
}

// SaveFiles writes the files of all pages into a folder: a page may use those of another, so that none is shown twice.
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

// replace puts another block in the place of b, in the page's file too.
func (b Block) replace(t *testing.T, text string) {
	t.Helper()
	before, after := "```"+b.Language+"\n"+b.Text+"```", "```"+b.Language+"\n"+text+"```"
	b.Page.Text = strings.Replace(b.Page.Text, before, after, 1)
	file := filepath.Join(b.Page.root, filepath.FromSlash(b.Page.Name))
	if err := os.WriteFile(file, []byte(b.Page.Text), 0o644); err != nil {
		t.Fatal(err)
	}
}
