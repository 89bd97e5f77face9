package traffic

import (
	"encoding/json"
	"fmt"
	"strings"

	"ratelab/internal/message"
)

// jsonLines reads one JSON object per line.
type jsonLines struct {
	time        string
	key, cost   string
	keys, costs []string // found at the first record, where a name with a plus is told from several names
	joiner      joiner
	stamps      stamps
}

func newJSONL(t Trace) *jsonLines { return &jsonLines{key: t.Key, time: t.Time, cost: t.Cost} }

type object = map[string]json.RawMessage

// lookup finds a field by its name, or by its path with dots; nil where there is none.
func lookup(o object, path string) json.RawMessage {
	if v, ok := o[path]; ok {
		return v
	}
	head, rest, dotted := strings.Cut(path, ".")
	if !dotted {
		return nil
	}
	var inner object
	if json.Unmarshal(o[head], &inner) != nil {
		return nil
	}
	return lookup(inner, rest)
}

// scalar gives a field as text: strings without their quotes, numbers and booleans as they are written.
func scalar(o object, path string) ([]byte, error) {
	v := lookup(o, path)
	if v == nil || string(v) == "null" {
		return nil, fmt.Errorf("no field %s; want it in every line", message.Quote(path))
	}
	switch v[0] {
	case '"':
		var s string
		if err := json.Unmarshal(v, &s); err != nil {
			return nil, fmt.Errorf("field %s is %s; want a string or a number", message.Quote(path), message.Quote(v))
		}
		return []byte(s), nil
	case '{', '[':
		return nil, fmt.Errorf("field %s is %s; want a string or a number", message.Quote(path), message.Quote(v))
	}
	return v, nil
}

// record implements format.
func (j *jsonLines) record(line []byte) (record, error) {
	var o object
	if err := json.Unmarshal(line, &o); err != nil || o == nil {
		return record{}, fmt.Errorf("%s: not a JSON object; want one {…} per line", message.Quote(line))
	}
	text, err := scalar(o, j.time)
	if err != nil {
		return record{}, err
	}
	r := record{key: oneKey, cost: 1}
	if r.at, err = j.stamps.parse(text); err != nil {
		return record{}, err
	}
	if j.key != "" {
		if r.key, err = j.keyOf(o); err != nil {
			return record{}, err
		}
	}
	if err := checkKey(r.key); err != nil {
		return record{}, err
	}
	if j.cost != "" {
		r.cost, err = j.sum(o)
	}
	return r, err
}

func (j *jsonLines) keyOf(o object) ([]byte, error) {
	if j.keys == nil {
		j.keys = parts(j.key, func(name string) bool { return lookup(o, name) != nil })
	}
	return j.joiner.join(len(j.keys), func(i int) ([]byte, error) { return scalar(o, j.keys[i]) })
}

func (j *jsonLines) sum(o object) (total int64, err error) {
	if j.costs == nil {
		j.costs = parts(j.cost, func(name string) bool { return lookup(o, name) != nil })
	}
	for _, name := range j.costs {
		text, err := scalar(o, name)
		if err != nil {
			return 0, err
		}
		n, err := parseCost(text)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, checkCost(total)
}

// notes implements format.
func (j *jsonLines) notes() []string { return j.stamps.notes() }
