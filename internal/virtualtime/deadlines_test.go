package virtualtime_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/virtualtime"
)

// moreForms has forms of the commands that are not in forms.
var moreForms = []string{
	`'SET', %k, %v, 'PX', 200`, `'PSETEX', %k, 200, %v`, `'GETEX', %k, 'PX', 200`, `'GETEX', %k, 'PXAT', 1`,
	`'PEXPIRE', %k, 200`, `'PEXPIREAT', %k, %d .. '007'`, `'RENAMENX', %k, K .. 'b'`, `'DECR', %k`, `'DECRBY', %k, 2`, `'INCRBYFLOAT', %k, 1.5`, `'SETBIT', %k, 3, 1`,
	`'BITFIELD', %k, 'SET', 'u4', 0, 1`, `'BITOP', 'NOT', %k, %k`, `'HMSET', %k, 'g', %v`, `'HSETNX', %k, 'g', %v`,
	`'HINCRBYFLOAT', %k, 'f', 1.5`, `'LPUSH', %k, %v`, `'RPUSHX', %k, %v`, `'LSET', %k, 0, %v`,
	`'LINSERT', %k, 'BEFORE', 1, %v`, `'ZINCRBY', %k, 1, 'm'`, `'PFADD', %k, 'm'`, `'GEOADD', %k, 1, 1, 'm'`,
	`'PFMERGE', %k, %k`, `'ZREMRANGEBYLEX', %k, '-', '+'`, `'ZPOPMAX', %k`, `'ZDIFFSTORE', %k, 1, %k`,
	`'ZRANGESTORE', %k, %k, 0, -1`, `'GEOSEARCHSTORE', %k, %k, 'FROMMEMBER', 'm', 'BYRADIUS', 1, 'km'`,
}

// makers has a command that makes a key of each type. The key contains an element that the forms remove.
var makers = []string{`'SET', %s, 1`, `'RPUSH', %s, 1`, `'HSET', %s, 'f', 1`, `'SADD', %s, 'm'`, `'ZADD', %s, 1, 'm'`}

// lifetimes is a history in which each form runs on keys of one type with deadlines. Then the keys are read at once,
// and again after the first deadline. Each command is one arrival.
type lifetimes struct {
	story
	arrivals []answer
}

func (l *lifetimes) add(ms int64, commands ...string) {
	nowMS := midnight / 1000
	if n := len(l.arrivals); n > 0 {
		nowMS = l.arrivals[n-1].nowMS + ms
	}
	for _, command := range commands {
		l.steps = append(l.steps, []string{command})
		l.arrivals = append(l.arrivals, answer{nowMS: nowMS, step: len(l.steps)})
	}
}

func lifetimesOf(maker string, forms []string) *lifetimes {
	l := &lifetimes{}
	keys := []string{"K", "K .. 'a'", "K .. 'b'"}
	look := func(ms int64) {
		for _, key := range keys {
			l.add(ms, fmt.Sprintf(`'PTTL', %s`, key), fmt.Sprintf(`'EXISTS', %s`, key))
			ms = 0
		}
	}
	for _, form := range forms {
		l.add(1, `'DEL', `+strings.Join(keys, ", "))
		for i, key := range keys[:2] {
			l.add(0, fmt.Sprintf(maker, key), fmt.Sprintf(`'PEXPIRE', %s, %d`, key, 300+100*i))
		}
		look(1)
		next := 0
		l.add(1, hole.ReplaceAllStringFunc(form, func(h string) string {
			switch h {
			case "%v":
				return "1"
			case "%d":
				return fmt.Sprintf("'%d'", century)
			}
			next++
			return keys[(next-1)%len(keys)]
		}))
		look(0)
		look(350)
	}
	return l
}

// play runs the histories of all forms with keys of all types. It describes the first reply that differs from wants, or
// returns "" if no reply differs. If wants does not have a history, play records its replies there.
func play(t *testing.T, server *redis.Server, batch int, wants map[string][]string) string {
	all := slices.Concat(forms, moreForms)
	for _, maker := range makers {
		for few := range slices.Chunk(all, 12) {
			l := lifetimesOf(maker, few)
			name := maker + few[0]
			got, err := l.tell(t, server, setup{batch: batch}, "k", l.arrivals)
			want, known := wants[name]
			if !known {
				if err != nil {
					t.Fatal(err)
				}
				wants[name] = got
				continue
			}
			if err != nil {
				return err.Error()
			}
			for i := range want {
				if got[i] != want[i] {
					return fmt.Sprintf("%s: command %d, %s, answers %s, want %s", maker, i+1, l.steps[i], got[i],
						want[i])
				}
			}
		}
	}
	return ""
}

// changes matches each place at which the prelude changes a remembered deadline.
var changes = regexp.MustCompile(`(?:^|[^n]) ?(forget\([^)]*\)|dies\[key\] = \w+|dies\[key\], look\[key\] = \w+, true)`)

// writers matches the names of commands that write, with their handler.
var writers = regexp.MustCompile(`\nwrites\('([^,]*)', (\w+)`)

// keeping has the commands that change no deadline: they make keys, or change the contents of keys. To be safe, the
// prelude forgets deadlines after some of them.
var keeping = strings.Fields("MSETNX PFMERGE")

// The prelude forgets a remembered deadline if a command changes it. The oracle sends one EVAL per arrival, which
// remembers nothing. The test removes each place that forgets a deadline, and treats each such command as one that
// changes no deadline. Then replies must differ. So a new command must be in the forms.
func TestAChangedDeadlineIsForgotten(t *testing.T) {
	server := redistest.Private(t)
	right, wants := virtualtime.Prelude(), map[string][]string{}
	play(t, server, 1, wants)
	if differs := play(t, server, 4096, wants); differs != "" {
		t.Fatalf("in one batch: %s, as without batches", differs)
	}
	missed := func(t *testing.T, prelude string) {
		virtualtime.SetPrelude(t, prelude)
		if play(t, server, 4096, wants) == "" {
			t.Error("no answer differs")
		}
	}
	places := changes.FindAllStringSubmatchIndex(right, -1)
	if len(places) < 10 {
		t.Errorf("%d places found, want at least 10", len(places))
	}
	for _, at := range places {
		place := right[at[2]:at[3]]
		instead := ""
		if strings.Contains(place, "look[key]") {
			instead = "look[key] = true"
		}
		line := 1 + strings.Count(right[:at[2]], "\n")
		t.Run(fmt.Sprintf("line %d without %s", line, place), func(t *testing.T) {
			missed(t, right[:at[2]]+instead+right[at[3]:])
		})
	}
	everything := strings.Join(slices.Concat(forms, moreForms), "\n")
	for _, family := range writers.FindAllStringSubmatch(right, -1) {
		for _, name := range regexp.MustCompile(`[A-Z]+`).FindAllString(family[1], -1) {
			if !strings.Contains(everything, "'"+name+"'") {
				t.Errorf("no form has %s", name)
			}
			if handler := family[2]; handler == "one" || handler == "by" || slices.Contains(keeping, name) ||
				!longtest.All() {
				continue
			}
			t.Run(name+" as one", func(t *testing.T) {
				first := strings.Index(right, "\nreads('GET")
				missed(t, right[:first]+"\nreads('"+name+"', one)"+right[first:])
			})
		}
	}
}
