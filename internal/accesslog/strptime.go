package accesslog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"ratelab/internal/message"
)

// strptime is a layout of times as that of Python's strptime: %d/%m/%Y %H:%M:%S.%f.
type strptime struct {
	text     string
	inGo     []string // the layouts of package time that stand for it
	year     int      // of times that name none
	latestUS int64    // a time that is later and names no year is of the year before; 0: none is
}

// directives are those of strptime that a layout may have, and what stands for them in package time. That reads a
// fraction after a point or a comma by itself. A blank stands for several as well.
var (
	directives = strings.NewReplacer(".%f", "", ",%f", "", "%Y", "2006", "%y", "06", "%m", "1", "%b", "Jan", "%B",
		"January", "%d", "_2", "%j", "002", "%a", "Mon", "%A", "Monday", "%H", "15", "%I", "3", "%M", "4", "%S", "5",
		"%p", "PM", "%z", "Z0700", "%Z", "MST", "%%", "%")
	directive  = regexp.MustCompile(`%S[.,]%f|%[YymbBdjaAHIMSpzZ%]`)
	impossible = regexp.MustCompile(`%.?|[0-9]|Jan|Mon|MST|[Pp][Mm]`) // beside directives
)

// splitLayout takes the layout off NAME:LAYOUT; nil: there is none.
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

// check refuses layouts with which no time can be read.
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

// has reports whether one of the directives is in the layout.
func (l *strptime) has(any string) bool {
	return regexp.MustCompile("%[" + any + "]").MatchString(strings.ReplaceAll(l.text, "%%", ""))
}

// parse reads a time. A zone that is named is UTC or GMT, since other names mean several.
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
			if t = in; t.Day() != day { // 29 February
				return at, false
			}
		}
		return instant{us: t.UnixMicro(), whole: t.Nanosecond() == 0}, true
	}
	return at, false
}
