package report

import (
	"encoding/csv"
	"io"
	"iter"
	"strings"
	"unicode/utf8"
)

// WriteCSV writes a header and lines. Cells that a spreadsheet would run as a formula begin with an apostrophe.
func WriteCSV(w io.Writer, header []string, lines iter.Seq[[]string]) error {
	out := csv.NewWriter(w)
	if err := out.Write(header); err != nil {
		return err
	}
	for line := range lines {
		cells := make([]string, len(line))
		for i, cell := range line {
			cells[i] = Defuse(cell)
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// Defuse puts an apostrophe before text that a spreadsheet would take for a formula, and before text that begins with
// an apostrophe, so that no two texts become one.
// Source: OWASP, "CSV Injection", which names the wide forms too.
func Defuse(cell string) string {
	if armed(cell) {
		return "'" + cell
	}
	return cell
}

// armed reports whether a cell needs its apostrophe.
func armed(cell string) bool {
	first, _ := utf8.DecodeRuneInString(cell)
	return cell != "" && strings.ContainsRune("=+-@\t\r\n'＝＋－＠", first)
}
