package measure

import (
	"reflect"
	"slices"
	"strings"
)

// Measure is one figure of a row. It is declared once, and all parts that show, check or explain the figure read the
// declaration: tables, the page, CSV and benchmark lines, the schemas, expect in a scenario's file, and the
// documentation.
//
// A Written measure has its place in a row's JSON under Name. A point in Name separates an object of the row from its
// field. If the row has no field of that name, the result of Value is written there.
type Measure struct {
	Name    string
	Unit    Unit
	Digits  int       // after the decimal point, for units without a format of their own
	Heading string    // the heading of a table's column: one line, or two with a line end between them
	Title   string    // the heading on the page, which has more room; empty: Heading
	Help    string    // a short definition
	Better  Direction // which direction is better, other things being equal
	In      Place
	// Leaves is the order in which columns are dropped if a terminal is too narrow: the highest first, among equals the
	// last. 0 stays. A new measure gets the highest.
	Leaves int
	Own    bool                 // rows with the same decisions may have different values
	Above  float64              // tables mark values above it; 0: none
	Where  func(*Figures) bool  // tables omit the column if it is false for all rows; nil: never
	Value  func(*Figures) Value // nil in list.go: the field of that name. Value{} if the row has no such figure
}

// Unit is the unit of a value.
type Unit string

// The units. Those of whole numbers are plain words.
const (
	Requests     Unit = "requests"
	Tokens       Unit = "tokens"
	Keys         Unit = "keys"
	Commands     Unit = "commands"
	Operations   Unit = "operations"
	Rejections   Unit = "rejections"
	Waits        Unit = "waits"
	Locks        Unit = "locks"
	Crashes      Unit = "crashes"
	Elements     Unit = "elements"
	Retries      Unit = "retries"
	Microseconds Unit = "µs"
	Bytes        Unit = "bytes"
	Limits       Unit = "× limit"  // multiples of the limit
	Actual       Unit = "× actual" // multiples of the actual cost
	Share        Unit = "share"    // a fraction of one
	PerSecond    Unit = "tokens/s"
	PerSuccess   Unit = "attempts/success"
	PerDecision  Unit = "per decision"
)

// Direction is the direction in which a measure is better.
type Direction int

// The directions. Most counts have none: for example, more admissions are better only while the limit holds.
const (
	Neither Direction = iota
	Lower
	Higher
)

// String returns the direction as a word, or "" for Neither.
func (d Direction) String() string { return [...]string{"", "lower", "higher"}[d] }

// Place is a set of places in which a measure appears.
type Place int

// The places. A measure may be Expected only if it depends on the traffic and the limit alone, and not on the server or
// the machine.
const (
	Written  Place = 1 << iota // in JSON, and if Name has no point, also in CSV and benchmark lines
	Table                      // in the tables of the terminal and of Markdown
	Page                       // in the tables of the page
	Expected                   // in a scenario's expect
)

// Value is a figure, or an unknown one.
type Value struct {
	Number float64
	Known  bool
}

// Known returns n as a known value.
func Known[N int64 | float64](n N) Value { return Value{float64(n), true} }

// ratio returns part divided by whole. If whole is 0, it returns a known 0.
func ratio(part, whole int64) Value {
	if whole == 0 {
		return Known(0.0)
	}
	return Known(float64(part) / float64(whole))
}

// Subject is a group of measures in one table.
type Subject struct {
	Name     string
	Caption  string // above the table
	Measures []Measure
}

// Within returns the subject's measures that appear in all of the places in p.
func (s *Subject) Within(p Place) []*Measure {
	var list []*Measure
	for i := range s.Measures {
		if s.Measures[i].In&p == p {
			list = append(list, &s.Measures[i])
		}
	}
	return list
}

// Subjects returns all subjects, in the order of the tables.
func Subjects() []*Subject {
	return []*Subject{
		DecisionMeasures, EndMeasures, ShapingMeasures, ClientMeasures, RetryAfterMeasures, ClockMeasures, RaceMeasures,
		LocalFlagMeasures,
		FairnessMeasures,
		CostMeasures,
	}
}

func init() {
	for _, s := range Subjects() {
		for i := range s.Measures {
			if m := &s.Measures[i]; m.Value == nil {
				m.Value = field(m.Name)
			}
		}
	}
}

// field returns a function that reads the number with that name in a row's JSON.
func field(name string) func(*Figures) Value {
	var way []int
	in := reflect.TypeFor[Figures]()
	for part := range strings.SplitSeq(name, ".") {
		fields := reflect.VisibleFields(in)
		i := slices.IndexFunc(fields, func(f reflect.StructField) bool {
			named, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			return named == part
		})
		if i < 0 {
			panic("measure " + name + " has no field, and does not say its Value")
		}
		way = append(way, fields[i].Index...)
		if in = fields[i].Type; in.Kind() == reflect.Pointer {
			in = in.Elem()
		}
	}
	return func(f *Figures) Value {
		v, err := reflect.ValueOf(f).Elem().FieldByIndexErr(way)
		v = reflect.Indirect(v)
		switch {
		case err != nil || !v.IsValid():
			return Value{} // the row has no such object, or no such figure
		case v.CanInt():
			return Known(v.Int())
		}
		return Known(v.Float())
	}
}

// Find returns the measure with that name, and its subject. A measure of one of several limits has the limit's name
// after a colon: refused:rpm.
func Find(name string) (*Measure, *Subject) {
	if base, of, found := strings.Cut(name, ":"); found {
		for _, m := range LimitMeasures.Measures {
			if m.Name == base {
				m.Name, m.Value = name, ofLimit(base, of)
				m.Heading = strings.ReplaceAll(m.Heading, "\n", " ") + "\n" + of
				return &m, LimitMeasures
			}
		}
		return nil, nil
	}
	for _, s := range Subjects() {
		for i := range s.Measures {
			if s.Measures[i].Name == name {
				return &s.Measures[i], s
			}
		}
	}
	return nil, nil
}

// ofLimit returns a function that reads a figure of the limit with that name.
func ofLimit(measure, name string) func(*Figures) Value {
	return func(f *Figures) Value {
		for i := 0; f.Several != nil && i < len(f.Limits); i++ {
			if l := &f.Limits[i]; l.Name == name {
				return l.value(measure)
			}
		}
		return Value{}
	}
}

// Renamed maps former names of measures to the current ones.
var Renamed = map[string]string{
	"peak_window_admitted": "peak", "overshoot": "x_limit", "promise": "guarantee", "x_promise": "guarantee",
	"excess": "x_limit", "excess_cost": "x_limit", "excess_share": "x_limit", "false_admits": "x_limit",
	"shortfall": "lost", "shortfall_cost": "lost", "shortfall_share": "lost", "false_rejects": "lost",
	"utilization": "lost", "exact_cost": "lost", "decisions_sha256": "decisions_digest",
	"redis_calls_per_decision": "commands", "redis_calls_per_admitted": "commands",
	"redis_calls_per_rejected": "commands", "round_trips_per_decision": "round_trips",
	"rate_difference": "wrong_share", "fairness.jain_index": "fairness.worst_served",
}

// Names returns the names of the measures that appear in all of the places in p.
func Names(p Place) []string {
	var names []string
	for _, s := range Subjects() {
		for _, m := range s.Within(p) {
			names = append(names, m.Name)
		}
	}
	return names
}

// Shown returns the measures of a table with these rows, without those that no row has.
func (s *Subject) Shown(p Place, rows []*Figures) []*Measure {
	return slices.DeleteFunc(s.Within(p), func(m *Measure) bool {
		return m.Where != nil && !slices.ContainsFunc(rows, m.Where)
	})
}
