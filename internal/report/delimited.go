package report

import (
	"encoding/csv"
	"io"
	"strings"
	"unicode/utf8"
)

// WriteCSV writes lines, of which the first is the header. Cells that a spreadsheet would run as a formula begin with
// an apostrophe.
func WriteCSV(w io.Writer, lines [][]string) error {
	defused := make([][]string, len(lines))
	for i, line := range lines {
		for _, cell := range line {
			defused[i] = append(defused[i], Defuse(cell))
		}
	}
	return csv.NewWriter(w).WriteAll(defused)
}

// Defuse puts an apostrophe before text that a spreadsheet would take for a formula, and before text that begins with
// an apostrophe, so that no two texts become one.
// Source: OWASP, "CSV Injection", which names the wide forms too.
func Defuse(cell string) string {
	first, _ := utf8.DecodeRuneInString(cell)
	if cell != "" && strings.ContainsRune("=+-@\t\r\n'＝＋－＠", first) {
		return "'" + cell
	}
	return cell
}
