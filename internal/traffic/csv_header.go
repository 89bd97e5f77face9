package traffic

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/message"
)

// column finds a name in the header.
func column(field, name string, names []string) (int, error) {
	i := slices.Index(names, name)
	if i < 0 {
		return 0, &FieldError{field, fmt.Sprintf("no column %s in the header; want one of %s", message.Quote(name),
			shown(names))}
	}
	if slices.Contains(names[i+1:], name) {
		return 0, &FieldError{field, fmt.Sprintf("column %s is in the header twice; want names that are unique",
			message.Quote(name))}
	}
	return i, nil
}

// shown lists a header's names, but not hundreds of them.
func shown(names []string) string {
	const most = 12
	quoted := make([]string, 0, most+1)
	for i, n := range names {
		if i == most {
			quoted = append(quoted, "…")
			break
		}
		quoted = append(quoted, message.Quote(n))
	}
	return strings.Join(quoted, ", ")
}

// columns finds the one or several columns that a field of a Trace names.
func columns(field, wanted string, names []string) (numbers []int, err error) {
	for _, name := range parts(wanted, func(name string) bool { return slices.Contains(names, name) }) {
		i, err := column(field, name, names)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, i)
	}
	return numbers, nil
}
