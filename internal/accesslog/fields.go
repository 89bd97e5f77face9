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

// Names of the time, of the client and of its proxies' X-Forwarded-For in common logs, those that say most first.
var (
	templateTimes = []string{"msec", "time_iso8601", "time_local", "time"}
	timeNames     = append(strings.Fields("StartUTC start_time time_start EdgeStartTimestamp requestTimeEpoch "+
		"requestTime @timestamp timestamp ts datetime date+time at eventTime TimeGenerated"),
		append(templateTimes, "date")...)
	clientNames = append(strings.Fields("client_ip ClientHost ClientAddr request.client_ip request.remote_ip "+
		"request.remote_addr httpRequest.clientIp httpRequest.remoteIp downstream_remote_address source.ip c-ip "+
		"remote_addr remote_ip remote_address client_address client user_ip source_ip src_ip sourceIPAddress "+
		"callerIpAddress ip_address ip"), otherClients...)
	otherClients   = []string{"client_id", "user_id", "api_key", "user", "key"} // no addresses
	forwardedNames = strings.Fields("forwarded X-Forwarded-For http_x_forwarded_for cs(X-Forwarded-For) forwarded_for")
)

// countName fits the name of a column with how many requests a line stands for.
var countName = regexp.MustCompile(`^((num|numberof|total)?(requests|hits|calls|invocations)|rps|qps|` +
	`((request|hit|doc|event|log)s?)?count(of)?(all|records|requests|hits|events|logs|documents)?)$`)

// plain is a name without what names are compared without.
func plain(name string) string { return strings.ToLower(unplain.Replace(name)) }

var unplain = strings.NewReplacer("_", "", "-", "", ".", "", " ", "", "$", "")

// How a name is compared with the fields' names. Each way is tried on all names before the next one.
const (
	exactly   = iota // as it is
	plainly          // without regard to case and separators
	within           // the same, with the last parts of names with points: those of fields in objects
	howToFind        // how many ways there are
)

// resolve is the names of the fields that are meant by name.
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

// known is the first of the names that a format has, as the format writes it; "": none.
func known(f format, names []string) string {
	for how := range howToFind {
		for _, name := range names {
			var all []string
			for _, part := range summands(name) {
				found := resolve(f, part, how)
				switch {
				case len(found) != 1:
				case how != exactly && part == "requestTime": // elsewhere that is how long a request took
				case how == within && slices.Contains(otherClients, part): // of something else, as likely
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

// fieldList tells a format's fields, for a refusal.
func fieldList(f format) string {
	const most = 12 // of hundreds
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

// What may be noted of a line, each as a bit.
const (
	prefixed  = iota // other words stand before the client
	ported           // a port or brackets are at the key's address
	listed           // the key is a list of addresses
	dash             // the key is a dash
	skipped          // the key is the one that is left out
	odd              // the key is no address, where those are expected
	spelled          // the key is an address that is written in another way
	forwarded        // a proxy tells another client
	filtered         // another value than --trace-where wants
	costless         // the cost is 0
	goesOn           // a quote goes on over the end of the line
	bad              // the line is no request
	cutOff           // the file ends within the line
	noted            // how many marks there are
)

// ofLines say what is noted of lines with a mark; %s is an example.
var ofLines = [...]string{
	prefixed: "other words before the client, as %s; the client is the first address, and the field host is the " +
		"first word",
	ported:    "a port or brackets at the key's address, as %s; the key is the address",
	listed:    "a list of addresses as the key, as %s; the key is the first",
	dash:      "the key -, which stands for no value; --trace-skip-key - leaves them out",
	skipped:   "the key %s, which is left out (--trace-skip-key)",
	odd:       "clients are no addresses, as %s; --trace-key takes another field",
	spelled:   "an address in another spelling, as %s; the key is its shortest",
	forwarded: "an X-Forwarded-For with another client, as %s; --trace-key FIELD takes it",
	filtered:  "other values than --trace-where wants, as %s; they were left out",
	costless:  "the cost 0; they were left out",
}

// fields reads the time, the key and the cost of one file's requests.
type fields struct {
	format
	time, client column   // no client: one key for all
	costs        []column // none: a cost of 1
	wheres       []where
	proxied      column   // an X-Forwarded-For; nil: none, or the key is named
	proxy        string   // its name
	taken        []string // of the time and the client, what the trace does not name
	hint         string   // what else is noted
	expects      bool     // keys that are addresses
	skip         string   // the key that is left out; "": none
	stamps       stamps
	spans        spans
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

// where is a field that must have a value.
type where struct {
	field       column
	name, value string
}

// lets reports whether the line that was cut last has the values that are wanted.
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

// find finds the columns that the trace names, or else those that are known.
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
			if c, ok := r.format.(*combinedLog); ok { // without the error, which takes long
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
			series := len(names) == 2 && t.Key == "" && name != t.Time // a time and a value
			if series || countName.MatchString(plain(name[strings.LastIndexByte(name, '.')+1:])) {
				r.hint = fmt.Sprintf("each line is read as one request; --trace-cost %s counts it as so many, "+
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

// columns finds the fields a and b of "a+b", unless there is one of that whole name. They are for a field of the trace.
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
