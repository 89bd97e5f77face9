package benchchart

import (
	"bytes"
	"encoding/csv"
	"strconv"

	"ratelab/internal/sheet"
)

// table is the numbers behind a picture, one line for each thing that is drawn.
type table struct {
	out bytes.Buffer
	csv *csv.Writer
}

func newTable(columns ...string) *table {
	t := &table{}
	t.csv = csv.NewWriter(&t.out)
	_ = t.csv.Write(columns) // a bytes.Buffer takes everything
	return t
}

// add writes a line of texts and numbers; a number that there is not, a nil pointer, is an empty cell.
func (t *table) add(cells ...any) {
	line := make([]string, len(cells))
	for i, c := range cells {
		switch v := c.(type) {
		case string:
			line[i] = sheet.Defuse(v)
		case int64:
			line[i] = strconv.FormatInt(v, 10)
		case int:
			line[i] = strconv.Itoa(v)
		case float64:
			line[i] = strconv.FormatFloat(v, 'g', -1, 64)
		case *float64:
			if v != nil {
				line[i] = strconv.FormatFloat(*v, 'g', -1, 64)
			}
		}
	}
	_ = t.csv.Write(line)
}

func (t *table) bytes() []byte {
	t.csv.Flush()
	return t.out.Bytes()
}
