package curves

import (
	"bytes"
	"encoding/csv"
	"strconv"

	"ratelab/internal/sheet"
)

// column is one of a chart's data. The first is the longest, and what is absent of others is empty.
type column struct {
	name   string
	values []int64
}

// columns are those of every chart over time, a line per bucket of the series: the bucket's start, what was offered,
// each algorithm, and the reference where there is one; of picks what is shown of these.
func (in Input) columns(offered []int64, of func(Lane) []int64) []column {
	starts := make([]int64, len(offered))
	for i := range starts {
		starts[i] = int64(i) * in.Traffic.BucketUS
	}
	all := []column{{"t_us", starts}, {"offered", offered}}
	for _, l := range in.Algorithms {
		all = append(all, column{l.Label, of(l)})
	}
	for _, l := range in.reference() {
		all = append(all, column{"reference", of(l)})
	}
	return all
}

// CSV is the data behind the chart: of every row, and over time of every bucket, however they are joined to be drawn.
func (c Chart) CSV() []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	line := make([]string, len(c.columns))
	for i, col := range c.columns {
		line[i] = sheet.Defuse(col.name)
	}
	_ = w.Write(line) // a bytes.Buffer takes everything
	for n := range c.columns[0].values {
		for i, col := range c.columns {
			line[i] = ""
			if n < len(col.values) {
				line[i] = strconv.FormatInt(col.values[n], 10)
			}
		}
		_ = w.Write(line)
	}
	w.Flush()
	return out.Bytes()
}
