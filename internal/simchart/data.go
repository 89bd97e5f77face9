package simchart

import (
	"bytes"
	"encoding/csv"
	"strconv"

	"ratelab/internal/sheet"
)

// dataCSV writes the numbers behind a picture, one line per bucket of the series: the bucket's start, the
// columns in their order, and the limit where there is one to compare with.
func dataCSV(bucketUS int64, columns []dataColumn) []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	header := []string{"t_us"}
	for _, c := range columns {
		header = append(header, sheet.Defuse(c.name))
	}
	_ = w.Write(header) // a bytes.Buffer takes everything
	for i := range columns[0].values {
		line := []string{strconv.FormatInt(int64(i)*bucketUS, 10)}
		for _, c := range columns {
			line = append(line, strconv.FormatInt(c.values[i], 10))
		}
		_ = w.Write(line)
	}
	w.Flush()
	return out.Bytes()
}

// dataColumn is one line of a picture, bucket by bucket.
type dataColumn struct {
	name   string
	values []int64
}

func constant(v int64, n int) []int64 {
	values := make([]int64, n)
	for i := range values {
		values[i] = v
	}
	return values
}

func cumulated(values []int64) []int64 {
	sums := make([]int64, len(values))
	total := int64(0)
	for i, v := range values {
		total += v
		sums[i] = total
	}
	return sums
}
