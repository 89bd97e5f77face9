package accesslog

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/traffic"
)

// Known names of the time, the client and its X-Forwarded-For in logs. The most specific names come first.
var (
	templateTimes = []string{"msec", "time_iso8601", "time_local", "time"}
	timeNames     = append(strings.Fields("StartUTC start_time time_start EdgeStartTimestamp requestTimeEpoch "+
		"requestTime @timestamp timestamp ts datetime date+time at eventTime TimeGenerated"),
		append(templateTimes, "date")...)
	clientNames = append(strings.Fields("client_ip ClientHost ClientAddr request.client_ip request.remote_ip "+
		"request.remote_addr httpRequest.clientIp httpRequest.remoteIp downstream_remote_address source.ip c-ip "+
		"remote_addr remote_ip remote_address client_address client user_ip source_ip src_ip sourceIPAddress "+
		"callerIpAddress ip_address ip"), otherClients...)
	otherClients   = []string{"client_id", "user_id", "api_key", "user", "key"} // not addresses
	forwardedNames = strings.Fields("forwarded X-Forwarded-For http_x_forwarded_for cs(X-Forwarded-For) forwarded_for")
)

// countName matches the name of a column that holds the number of requests of a line.
var countName = regexp.MustCompile(`^((num|numberof|total)?(requests|hits|calls|invocations)|rps|qps|` +
	`((request|hit|doc|event|log)s?)?count(of)?(all|records|requests|hits|events|logs|documents)?)$`)

// plain returns name in lower case and without separators, for comparing names.
func plain(name string) string { return strings.ToLower(unplain.Replace(name)) }

var unplain = strings.NewReplacer("_", "", "-", "", ".", "", " ", "", "$", "")

// The ways of comparing a name with the names of fields. Each way is tried on all names before the next one.
const (
	exactly   = iota // the same text
	plainly          // ignoring case and separators
	within           // as plainly, but the name may also be the last parts of a dotted name, of a field in an object
	howToFind        // the number of ways
)

// resolve returns the fields that name matches in the given way.
func resolve(f format, name string, how int) (found []string) {
	for _, field := range f.names() {
		rest, more := field, true
		for how == within && more && plain(rest) != plain(name) {
			_, rest, more = strings.Cut(rest, ".")
		}
		if field == name || how > exactly && more && plain(rest) == plain(name) {
			found = append(found, field)
		}
	}
	return found
}

// known returns the first of the names that the format has, as the format writes it, or "" if it has none.
func known(f format, names []string) string {
	for how := range howToFind {
		for _, name := range names {
			var all []string
			for _, part := range summands(name) {
				found := resolve(f, part, how)
				switch {
				case len(found) != 1:
				case how != exactly && part == "requestTime": // in other logs this is a request's duration
				case how == within && slices.Contains(otherClients, part): // probably of another thing than the client
				default:
					all = append(all, found...)
				}
			}
			if len(all) == len(summands(name)) {
				return strings.Join(all, "+")
			}
		}
	}
	return ""
}

// fieldList returns a format's fields for an error message.
func fieldList(f format) string {
	const most = 12 // some logs have hundreds
	var shown []string
	names := f.names()
	for _, n := range names[:min(len(names), most)] {
		shown = append(shown, message.Quote(n))
	}
	if len(names) > most {
		shown = append(shown, "…")
	}
	return message.List(shown)
}

// Marks are bits. Each marks a line with a property that may be noted.
const (
	prefixed  = iota // other words precede the client
	ported           // the key's address has a port or brackets
	listed           // the key is a list of addresses
	dash             // the key is a dash
	skipped          // the key is the one to leave out
	odd              // the key is not an address, but addresses are expected
	spelled          // the key is an address in another spelling than the shortest
	forwarded        // X-Forwarded-For names another client
	filtered         // a value differs from the one in --trace-where
	costless         // the cost is 0
	goesOn           // a quote continues on the next line
	bad              // the line is not a request
	cutOff           // the file ends within the line
	noted            // the number of marks
)

// ofLines has the note about lines with each mark. %s stands for an example.
var ofLines = [...]string{
	prefixed: "other words before the client, such as %s; the client is the first address, and the field host is the " +
		"first word",
	ported:    "a port or brackets in the key, such as %s; the key is the address alone",
	listed:    "a list of addresses as the key, such as %s; the key is the first one",
	dash:      "the key -, which stands for no value; --trace-skip-key - leaves them out",
	skipped:   "the key %s, which is left out (--trace-skip-key)",
	odd:       "the clients are not addresses, such as %s; --trace-key names another field",
	spelled:   "an address in an unusual spelling, such as %s; the key is the shortest spelling",
	forwarded: "an X-Forwarded-For with another client, such as %s; --trace-key FIELD uses that client",
	filtered:  "values that do not match --trace-where, such as %s; they were left out",
	costless:  "the cost 0; they were left out",
}

// fields reads the time, the key and the cost of the requests of one file.
type fields struct {
	format
	time, client column   // client is nil if all requests have the same key
	costs        []column // empty: each cost is 1
	wheres       []where
	proxied      column   // an X-Forwarded-For; nil: there is none, or the trace names the key
	proxy        string   // the name of proxied's field
	taken        []string // the guesses about the time and the client, if the trace does not name them
	hint         string   // another note
	expects      bool     // keys should be addresses
	skip         string   // the key to leave out; "": none
	stamps       stamps
	spans        spans
	marks        uint16        // of the current line
	firsts       [noted]string // for each mark, the example from the first line with it
}

// mark marks the line, and keeps text as the example if the mark has none.
func (r *fields) mark(kind int, text []byte) {
	if r.marks |= 1 << kind; r.firsts[kind] == "" {
		r.firsts[kind] = string(text)
	}
}

// fields returns the reader of a file whose first line is first.
func (l *layout) fields(t Trace, first []byte) (*fields, error) {
	reader, unread := l.open(first)
	if reader == nil {
		return nil, unread
	}
	r := &fields{format: reader, skip: t.SkipKey}
	err := r.find(t)
	if err == nil {
		err = r.findSpans(t, l.name)
	}
	if l.fixed {
		r.taken = nil
	}
	switch {
	case err != nil && unread != nil:
		err = unread
	}
	return r, err
}

// where is a filter: a field and the value that it must have.
type where struct {
	field       column
	name, value string
}

// lets reports whether the current line has the values that the filters require.
func (r *fields) lets() bool {
	for _, w := range r.wheres {
		v, err := w.field()
		if err == nil && string(v) == w.value {
			continue
		}
		r.marks |= 1 << filtered
		if r.firsts[filtered] == "" {
			r.firsts[filtered] = w.name + "=" + string(v)
			if err != nil {
				r.firsts[filtered] = err.Error()
			}
		}
		return false
	}
	return true
}

// filter finds the fields of the trace's filters.
func (r *fields) filter(t Trace) error {
	for _, w := range t.Where {
		name, value, _ := strings.Cut(w, "=")
		all, err := r.columns("where", name)
		if err != nil {
			return err
		}
		r.wheres = append(r.wheres, where{all[0], name, value})
	}
	return nil
}

// find finds the columns that the trace names. If it names none, find looks for known names.
func (r *fields) find(t Trace) error {
	if err := r.filter(t); err != nil {
		return err
	}

	if t.Time == "" {
		if t.Time = known(r.format, timeNames); t.Time == "" {
			if j, ok := r.format.(*jsonLines); ok && j.records() != nil {
				return j.records()
			}
			return &FieldError{"time", "no column or field is a known time; want --trace-time, or time in a " +
				"scenario, with one of " + fieldList(r.format)}
		}
		r.taken = append(r.taken, "the time to be "+t.Time)
	} else if len(resolve(r.format, t.Time, exactly)) == 0 {
		if t.Time, r.stamps.layout = splitLayout(t.Time); r.stamps.layout == nil {
			i := strings.LastIndexByte(t.Time, ':')
			named := func(u unit) bool { return i > 0 && u.short == t.Time[i+1:] }
			if n := slices.IndexFunc(units, named); n >= 0 {
				t.Time, r.stamps.unit = t.Time[:i], &units[n]
			}
		}
	}

	if r.stamps.name = t.Time; t.Key == "" {
		if t.Key = known(r.format, clientNames); t.Key != "" {
			r.taken = append(r.taken, "the client to be "+t.Key)
		}
		other := func(name string) bool { return plain(name) == plain(t.Key) }
		r.expects = t.Key != "" && !slices.ContainsFunc(otherClients, other)
		if r.proxy = known(r.format, forwardedNames); r.proxy != "" && r.proxy != t.Key {
			r.proxied, _ = r.column(r.proxy)
			if c, ok := r.format.(*combinedLog); ok { // avoids building an error, which takes long
				r.proxied = func() ([]byte, error) {
					list, _ := c.quoted(r.proxy)
					return list, nil
				}
			}
		}
	}
	if t.Key == NoKey && len(resolve(r.format, NoKey, exactly)) == 0 {
		t.Key = ""
	}

	if t.Cost == "" {
		names := r.names()
		for _, name := range names {
			series := len(names) == 2 && t.Key == "" && name != t.Time // the table has only a time and a value
			if series || countName.MatchString(plain(name[strings.LastIndexByte(name, '.')+1:])) {
				r.hint = fmt.Sprintf("each line is read as one request; --trace-cost %s counts it as that many, "+
					"which are admitted or rejected together", name)
			}
		}
	}

	times, noTime := r.columns("time", t.Time)
	keys, noKey := r.columns("key", t.Key)
	costs, noCost := r.columns("cost", t.Cost)
	if text, ok := r.format.(*template); ok && noTime == nil && r.stamps.layout != nil {
		text.words = [2]int{slices.Index(text.fields, strings.TrimPrefix(summands(t.Time)[0], "$")),
			len(strings.Fields(r.stamps.layout.text)) - len(times) + 1}
	}
	r.time = joined(times, ' ', func(v []byte) []byte { return v })
	r.client = joined(keys, '|', func(v []byte) []byte { return escaped(r.clean(v)) })
	r.costs = costs
	return cmp.Or(noTime, noKey, noCost)
}

// columns finds the columns a and b for names "a+b", unless a column has this whole name. field is the trace's field,
// for errors.
func (r *fields) columns(field, names string) (all []column, err error) {
	if names == "" {
		return nil, nil
	}
	list := []string{names}
	if len(resolve(r.format, names, exactly)) == 0 {
		list = summands(names)
	}
	for _, name := range list {
		found := []string(nil)
		for how := 0; how < howToFind && len(found) == 0; how++ {
			found = resolve(r.format, name, how)
		}
		if len(found) > 1 && found[0] != found[1] {
			return nil, &FieldError{field, fmt.Sprintf("%s may be %s; want one of them", message.Quote(name),
				message.List(found))}
		} else if len(found) > 0 {
			if name = strings.TrimPrefix(name, "$"); name != found[0] {
				r.taken = append(r.taken, "the "+field+" to be "+found[0])
			}
			name = found[0]
		}
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

// joined returns a column with the values of all columns, changed by each and joined by the separator. A single column
// is returned unchanged. Without columns, joined returns nil.
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

// stamp reads the time of the current line.
func (r *fields) stamp() (instant, error) {
	text, err := r.time()
	if err != nil {
		return instant{}, err
	}
	return r.stamps.parse(bytes.TrimSpace(text))
}

// oneKey is the key of all requests if the trace has no key.
var oneKey = []byte("k0")

// maxKey is the longest key in bytes. Redis would accept 512 MB.
const maxKey = 4096

// key returns the key of the current line. It is valid until the next line. A key of several fields, client+path, has
// their values with a | between them: 10.0.0.1|/login. A | or a \ within a value gets a \ before it, so that different
// lists of values give different keys. The key of one field is its value, without escapes.
//
// Note: a blank between the values would be as readable, but user agents and user names contain blanks. Escaping with %
// would lengthen each escaped path, since its % signs would have to be doubled.
func (r *fields) key() ([]byte, error) {
	if r.client == nil {
		return oneKey, nil
	}
	key, err := r.client()
	if err != nil {
		return nil, err
	}
	key = r.clean(key) // joined keys stay as they are
	return key, checkKey(key)
}

// clean removes the rest of a key that begins with an address: a port, brackets, more addresses. It returns the address
// in its shortest spelling.
func (r *fields) clean(key []byte) []byte {
	kind := ported
	if bytes.IndexByte(key, ',') >= 0 {
		kind = listed
	} else if bytes.IndexByte(key, ':') < 0 {
		return key
	}
	found := address(key)
	if found != nil && len(found) < len(key) {
		r.mark(kind, key)
	}
	if found == nil {
		return key
	}
	if ip, err := netip.ParseAddr(string(found)); err == nil && ip.Unmap().String() != string(found) {
		r.mark(spelled, found)
		return []byte(ip.Unmap().String())
	}
	return found
}

// escaped puts a backslash before each | and each backslash.
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

// checkKey returns an error for a key that cannot be shown in the output.
func checkKey(key []byte) error {
	switch {
	case len(key) == 0:
		return errors.New("the key is empty; want something that names the client")
	case len(key) > maxKey:
		return fmt.Errorf("key %s: %d bytes long; want at most %d", message.Quote(key), len(key), maxKey)
	}
	odd := func(c byte) bool { return c < ' ' || c >= 0x7f } // most keys are plain ASCII and need no second check
	if slices.ContainsFunc(key, odd) && bytes.ContainsFunc(key, message.IsControl) {
		return fmt.Errorf("key %s: it has control characters or is not UTF-8; want text", message.Quote(key))
	}
	return nil
}

// cost returns the cost of the current line, the sum of its columns.
func (r *fields) cost() (sum int64, err error) {
	if len(r.costs) == 0 {
		return 1, nil
	}
	const want = "want a whole number from 0 to %d"
	for _, column := range r.costs {
		text, err := column()
		if err != nil {
			return 0, err
		}
		whole, fraction := cutByte(bytes.TrimSpace(text), '.')
		n, err := strconv.ParseInt(string(whole), 10, 64)
		if err == nil && !zeros(fraction) {
			return 0, fmt.Errorf("cost %s: "+want+"; give costs and limits in a smaller unit", message.Quote(text),
				traffic.MaxCost)
		}
		if err != nil || n < 0 || n > traffic.MaxCost {
			return 0, fmt.Errorf("cost %s: "+want, message.Quote(text), traffic.MaxCost)
		}
		sum += n
	}
	if sum > traffic.MaxCost {
		return 0, fmt.Errorf("cost %d: "+want, sum, traffic.MaxCost)
	} else if sum == 0 {
		r.mark(costless, nil)
	}
	return sum, nil
}
