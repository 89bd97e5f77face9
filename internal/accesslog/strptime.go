package accesslog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"ratelab/internal/message"
)

// strptime is a layout of times as in Python's strptime: %d/%m/%Y %H:%M:%S.%f.
type strptime struct {
	text     string
	inGo     []string // the equivalent layouts of package time
	year     int      // the year of times that name none
	latestUS int64    // a later time without a year belongs to the year before; 0: no limit
}

// directives maps the directives of strptime that a layout may have to those of package time. Package time reads a
// fraction after a point or a comma without a directive. A blank in a layout matches any number of blanks.
var (
	directives = strings.NewReplacer(".%f", "", ",%f", "", "%Y", "2006", "%y", "06", "%m", "1", "%b", "Jan", "%B",
		"January", "%d", "_2", "%j", "002", "%a", "Mon", "%A", "Monday", "%H", "15", "%I", "3", "%M", "4", "%S", "5",
		"%p", "PM", "%z", "Z0700", "%Z", "MST", "%%", "%")
	directive = regexp.MustCompile(`%S[.,]%f|%[YymbBdjaAHIMSpzZ%]`)
	// texts that no layout may have besides directives
	impossible = regexp.MustCompile(`%.?|[0-9]|Jan|Mon|MST|[Pp][Mm]`)
)

// splitLayout splits NAME:LAYOUT. The layout is nil if name has no layout.
func splitLayout(name string) (string, *strptime) {
	i := strings.Index(name, ":%")
	if i <= 0 {
		return name, nil
	}
	l := &strptime{text: name[i+1:]}
	text := directives.Replace(l.text)
	for _, zone := range []string{"Z0700", "Z07:00", "Z07"} {
		for _, half := range []string{"PM", "pm"} {
			if in := strings.NewReplacer("Z0700", zone, "PM", half).Replace(text); !slices.Contains(l.inGo, in) {
				l.inGo = append(l.inGo, in)
			}
		}
	}
	return name[:i], l
}

// check returns an error for a layout with which no time can be read.
func (l *strptime) check() error {
	if odd := impossible.FindString(directive.ReplaceAllString(l.text, "")); odd != "" {
		return fmt.Errorf("the layout %s: %s cannot be in it; want, as in Python's strptime, %%Y %%y %%m %%b %%B %%d "+
			"%%j %%H %%I %%p %%M %%S %%z %%Z %%a %%A %%%%, and %%f after %%S. or %%S,", message.Quote(l.text),
			message.Quote(odd))
	}
	if !l.has("j") && !(l.has("d") && l.has("mbB")) || !l.has("H") && !(l.has("I") && l.has("p")) {
		return fmt.Errorf("the layout %s lacks a day or an hour; want %%d with %%m or %%b, and %%H, or %%I with %%p",
			message.Quote(l.text))
	}
	return nil
}

// has reports whether the layout has one of the directives in any.
func (l *strptime) has(any string) bool {
	return regexp.MustCompile("%[" + any + "]").MatchString(strings.ReplaceAll(l.text, "%%", ""))
}

// parse reads a time. A named zone must be UTC or GMT, since other names are ambiguous.
func (l *strptime) parse(b []byte) (at instant, ok bool) {
	for _, layout := range l.inGo {
		t, err := time.ParseInLocation(layout, string(b), time.UTC)
		if zone, _ := t.Zone(); err != nil || zone != "" && zone != "UTC" && zone != "GMT" {
			continue
		}
		if day := t.Day(); t.Year() == 0 {
			in := t.AddDate(l.year, 0, 0)
			if l.latestUS > 0 && in.UnixMicro() > l.latestUS {
				in = t.AddDate(l.year-1, 0, 0)
			}
			if t = in; t.Day() != day { // 29 February in a year without one
				return at, false
			}
		}
		return instant{us: t.UnixMicro(), whole: t.Nanosecond() == 0}, true
	}
	return at, false
}
