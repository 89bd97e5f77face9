package accesslog

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/traffic"
)

// Names of the time and of the client in common logs, those that say most first.
var (
	templateTimes = []string{"msec", "time_iso8601", "time_local", "time"}
	timeNames     = append(strings.Fields("StartUTC start_time EdgeStartTimestamp requestTimeEpoch requestTime "+
		"@timestamp timestamp TIMESTAMP ts datetime date+time at"), templateTimes...)
	clientNames = strings.Fields("client_ip clientip ClientIP ClientHost ClientAddr request.client_ip " +
		"request.remote_ip request.remote_addr httpRequest.clientIp httpRequest.remoteIp downstream_remote_address " +
		"client.ip source.ip c-ip remote_addr remote_ip client ip key user")
)

// known is the first of the names that a format has; "": none.
func known(f format, names []string) string {
	for _, name := range names {
		absent := func(part string) bool { return !f.has(part) }
		if !slices.ContainsFunc(summands(name), absent) {
			return name
		}
	}
	return ""
}

// What may be noted of a line, each as a bit.
const (
	prefixed = iota // other words stand before the client
	ported          // a port or brackets are at the key's address
	listed          // the key is a list of addresses
	dash            // the key is a dash
	skipped         // the key is the one that is left out
	odd             // the key is no address, where those are expected
	goesOn          // a quote goes on over the end of the line
	bad             // the line is no request
	cutOff          // the file ends within the line
	noted           // how many marks there are
)

// ofLines say what is noted of lines with a mark; %s is an example.
var ofLines = [...]string{
	prefixed: "other words before the client, as %s; the client is the first address, and the field host is the " +
		"first word",
	ported:  "a port or brackets at the key's address, as %s; the key is the address",
	listed:  "a list of addresses as the key, as %s; the key is the first",
	dash:    "the key -, which stands for no value; --trace-skip-key - leaves them out",
	skipped: "the key %s, which is left out (--trace-skip-key)",
	odd:     "clients are no addresses, as %s; --trace-key takes another field",
}

// fields reads the time, the key and the cost of one file's requests.
type fields struct {
	format
	time, client column   // no client: one key for all
	costs        []column // none: a cost of 1
	taken        []string // of the time and the client, what the trace does not name
	expects      bool     // keys that are addresses
	skip         string   // the key that is left out; "": none
	stamps       stamps
	marks        uint16        // of the line
	firsts       [noted]string // of the first line that has the mark
}

// mark marks the line for what is in a text.
func (r *fields) mark(kind int, text []byte) {
	if r.marks |= 1 << kind; r.firsts[kind] == "" {
		r.firsts[kind] = string(text)
	}
}

// fields are those of a file that begins with first.
func (l *layout) fields(t Trace, first []byte) (*fields, error) {
	reader, unread := l.open(first)
	if reader == nil {
		return nil, unread
	}
	r := &fields{format: reader, skip: t.SkipKey}
	err := r.find(t)
	if l.fixed {
		r.taken = nil
	}
	switch {
	case err != nil && unread != nil:
		err = unread
	case err != nil && l.header && t.Time == "":
		err = fmt.Errorf("%w; the header is %s", err, message.Quote(first))
	}
	return r, err
}

// find finds the columns that the trace names, or else those that are known.
func (r *fields) find(t Trace) error {
	if t.Time == "" {
		if t.Time = known(r.format, timeNames); t.Time == "" {
			return &FieldError{"time", "no column or field is a known time; want its name"}
		}
		r.taken = append(r.taken, "the time to be "+t.Time)
	}
	if t.Key == "" {
		if t.Key = known(r.format, clientNames); t.Key != "" {
			r.taken = append(r.taken, "the client to be "+t.Key)
		}
		r.expects = t.Key != "" && t.Key != "key" && t.Key != "user"
	}
	if t.Key == NoKey && !r.has(NoKey) {
		t.Key = ""
	}
	if i := strings.LastIndexByte(t.Time, ':'); i > 0 && !r.has(t.Time) {
		named := func(u unit) bool { return u.short == t.Time[i+1:] }
		if n := slices.IndexFunc(units, named); n >= 0 {
			t.Time, r.stamps.unit = t.Time[:i], &units[n]
		}
	}
	times, noTime := r.columns("time", t.Time)
	keys, noKey := r.columns("key", t.Key)
	costs, noCost := r.columns("cost", t.Cost)
	r.time = joined(times, ' ', func(v []byte) []byte { return v })
	r.client = joined(keys, '|', func(v []byte) []byte { return escaped(r.clean(v)) })
	r.costs = costs
	return cmp.Or(noTime, noKey, noCost)
}

// columns finds the fields a and b of "a+b", unless there is one of that whole name. They are for a field of the trace.
func (r *fields) columns(field, names string) (all []column, err error) {
	if names == "" {
		return nil, nil
	}
	list := []string{names}
	if !r.has(names) {
		list = summands(names)
	}
	for _, name := range list {
		column, err := r.column(name)
		if err != nil {
			return nil, &FieldError{field, err.Error()}
		}
		all = append(all, column)
	}
	return all, nil
}

func summands(names string) []string {
	list := strings.Split(names, "+")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// joined has the values of all columns, changed by each, with a separator between them. Of one column it is the value.
func joined(all []column, separator byte, each func(v []byte) []byte) column {
	if len(all) == 0 {
		return nil
	} else if len(all) == 1 {
		return all[0]
	}
	var text []byte
	return func() ([]byte, error) {
		text = text[:0]
		for i, column := range all {
			v, err := column()
			if err != nil {
				return nil, err
			}
			if i > 0 {
				text = append(text, separator)
			}
			text = append(text, each(v)...)
		}
		return text, nil
	}
}

// stamp reads the time of the line that was cut last.
func (r *fields) stamp() (instant, error) {
	text, err := r.time()
	if err != nil {
		return instant{}, err
	}
	return r.stamps.parse(bytes.TrimSpace(text))
}

// oneKey is the key of all requests where a trace names none.
var oneKey = []byte("k0")

// maxKey bounds a key's length in bytes; Redis would take 512 MB.
const maxKey = 4096

// key reads the line's key, which is valid until the next line. The values of a key of several fields, client+path,
// stand with a stroke between them: 10.0.0.1|/login. A stroke or a backslash within a value gets a backslash before it,
// so that no two different lists of values make one key. A key of one field is its value, as it is.
//
// Note: a blank between reads as well, but agents and users have blanks; percent signs before the stroke would double
// those of every escaped path.
func (r *fields) key() ([]byte, error) {
	if r.client == nil {
		return oneKey, nil
	}
	key, err := r.client()
	if err != nil {
		return nil, err
	}
	key = r.clean(key) // which changes no join
	return key, checkKey(key)
}

// clean takes off an address what is not of it: a port, brackets, the rest of a list.
func (r *fields) clean(key []byte) []byte {
	kind := ported
	if bytes.IndexByte(key, ',') >= 0 {
		kind = listed
	} else if bytes.IndexByte(key, ':') < 0 {
		return key
	}
	found := address(key)
	if found == nil || len(found) == len(key) {
		return key
	}
	r.mark(kind, key)
	return found
}

// escaped puts a backslash before each stroke and backslash.
func escaped(value []byte) (key []byte) {
	if bytes.IndexByte(value, '|') < 0 && bytes.IndexByte(value, '\\') < 0 {
		return value
	}
	for _, c := range value {
		if c == '|' || c == '\\' {
			key = append(key, '\\')
		}
		key = append(key, c)
	}
	return key
}

// checkKey refuses keys that could not be told apart in the output.
func checkKey(key []byte) error {
	switch {
	case len(key) == 0:
		return errors.New("the key is empty; want something that names the client")
	case len(key) > maxKey:
		return fmt.Errorf("key %s: %d bytes long; want at most %d", message.Quote(key), len(key), maxKey)
	}
	odd := func(c byte) bool { return c < ' ' || c >= 0x7f } // the usual key is plain ASCII
	if slices.ContainsFunc(key, odd) && bytes.ContainsFunc(key, message.IsControl) {
		return fmt.Errorf("key %s: it has control characters or is not UTF-8; want text", message.Quote(key))
	}
	return nil
}

// cost reads the line's cost, the sum of its columns.
func (r *fields) cost() (sum int64, err error) {
	if len(r.costs) == 0 {
		return 1, nil
	}
	const want = "want a whole number from 1 to %d"
	for _, column := range r.costs {
		text, err := column()
		if err != nil {
			return 0, err
		}
		n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
		if err != nil || n < 0 || n > traffic.MaxCost {
			return 0, fmt.Errorf("cost %s: "+want, message.Quote(text), traffic.MaxCost)
		}
		sum += n
	}
	if sum < 1 || sum > traffic.MaxCost {
		return 0, fmt.Errorf("cost %d: "+want, sum, traffic.MaxCost)
	}
	return sum, nil
}
