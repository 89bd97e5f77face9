package traffic

import (
	"fmt"
	"strconv"
)

// grouped writes n with commas between the thousands.
func grouped(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}
