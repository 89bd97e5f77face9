package virtualtime

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/resp"
)

// CallError reports that a call failed: the script itself, or a command inside the script.
type CallError struct {
	Request limit.Request
	Text    string // the error text of the server, the script or the prelude; the prelude's code is removed
}

// code matches the code at the beginning of a prelude error. Clients of redisclock use these codes.
var code = regexp.MustCompile(`^VT[A-Z]+ `)

func (e *CallError) Error() string {
	return fmt.Sprintf("request at %dµs, key %s, cost %d: %s", e.Request.AtUS, message.Quote(e.Request.Key),
		e.Request.Cost, e.Text)
}

// ErrLost ends a run if the server no longer knows the script.
var ErrLost = errors.New("the server lost its scripts, and perhaps its keys, in the middle of the run " +
	"(a restart, a failover or SCRIPT FLUSH); repeat the run")

// read converts a round's answers into decisions. Each answer is read to its end, even after an error, because it names
// the keys to delete. If several answers fail, read returns the first error, but prefers the first error about lost
// keys or scripts.
func (r *Runner) read(last *round, decisions []limit.Decision) error {
	requests := last.requests
	defer func() { r.unsure = nil }()
	var first error
	for i, size := range last.sizes {
		err := r.answer(last.replies[i], requests[:size], decisions[:size])
		if err != nil && (first == nil || isLost(err) && !isLost(first)) {
			first = err
		}
		requests, decisions = requests[size:], decisions[size:]
	}
	r.readUS = r.serverUS(last.requests[len(last.requests)-1])
	return first
}

// answer reads one EVAL's reply into decisions.
func (r *Runner) answer(data []byte, requests []limit.Request, decisions []limit.Decision) error {
	s := &r.scan
	s.Reset(data)
	parts, err := s.Array()
	if err != nil {
		if strings.HasPrefix(err.Error(), "NOSCRIPT") {
			return ErrLost
		}
		text, _, _ := strings.Cut(err.Error(), " stack traceback:") // drops the prelude's stack trace
		return &CallError{requests[0], code.ReplaceAllString(text, "")}
	}
	n, wrong := r.decode(requests, decisions)
	if err := r.account(n); err != nil {
		return err // the script may have failed because of the lost key
	}
	if wrong != nil || parts == 3 && n == len(requests) {
		return wrong
	}
	if parts != 4 || n >= len(requests) {
		return fmt.Errorf("the wrapper answered %d decisions in %d parts for %d requests", n, parts, len(requests))
	}
	problem, err := s.Value()
	if err != nil {
		return err
	}
	return &CallError{requests[n], code.ReplaceAllString(r.place(problem.Text), "")}
}

// decode reads the decisions. It returns how many replies there are, and why the first invalid reply is not a decision.
func (r *Runner) decode(requests []limit.Request, decisions []limit.Decision) (n int, wrong error) {
	s := &r.scan
	left, err := s.Array()
	if most := len(requests) * max(1, r.wrapped.width); err != nil || left > most {
		return 0, fmt.Errorf("the wrapper answered %d values for %d requests (%v)", left, len(requests), err)
	}
	for i := 0; left > 0; i++ {
		s.Release()
		reply, err := r.reply(&left)
		if err == nil && i == len(requests) {
			err = fmt.Errorf("the wrapper answered more than %d requests", i)
		}
		if err != nil {
			return n, err
		}
		n++
		if wrong != nil {
			continue
		}
		if decisions[i], err = r.program.Decision(reply, r.clientUS(requests[i])); err != nil {
			wrong = &CallError{requests[i], err.Error()}
		}
	}
	return n, wrong
}

// reply reads one answer, and subtracts its values from left. An answer is one value, or as many consecutive values as
// its width: see keepCode.
func (r *Runner) reply(left *int) (resp.Value, error) {
	width := r.wrapped.width
	reply, err := r.scan.Value()
	*left--
	if err != nil || width == 0 {
		return reply, err
	}
	if reply.Kind == resp.Array {
		if len(reply.Items) != 1 {
			return reply, fmt.Errorf("the wrapper answered %d replies for one request", len(reply.Items))
		}
		return reply.Items[0], nil
	}
	if *left -= width - 1; *left < 0 {
		return reply, errors.New("the wrapper's last answer is cut short")
	}
	r.parts = append(r.parts[:0], reply)
	for err == nil && len(r.parts) < width {
		reply, err = r.scan.Value()
		r.parts = append(r.parts, reply)
	}
	return resp.Value{Kind: resp.Array, Items: r.parts}, err
}

// account reads how many commands the decisions took, and which keys may have been created, changed or deleted. It
// returns a *LostError if a key was missing that should have been alive.
func (r *Runner) account(decided int) error {
	took, err := r.scan.Value()
	if err != nil {
		return err
	}
	changed, err := r.scan.Value()
	if err != nil {
		return err
	}
	r.calls.Decisions += int64(decided)
	r.calls.Total += took.Int
	var missing []string
	for i := 0; i+2 < len(changed.Items); i += 3 {
		key, deadline, missedUS := changed.Items[i].Text, changed.Items[i+1].Int, changed.Items[i+2].Int
		if missedUS >= 0 && !r.unsure[key] && r.living.lives(key, missedUS/1000) {
			missing = append(missing, strings.Clone(key))
		}
		r.living.set(key, deadline)
	}
	return lost(missing)
}

var errorLine = regexp.MustCompile(`(user_script):(\d+)`)

// place corrects the line numbers of an error in the init script. In the wrapper, the init script follows the main
// script.
func (r *Runner) place(text string) string {
	if r.wrapped.initLine == 0 {
		return text
	}
	return errorLine.ReplaceAllStringFunc(text, func(found string) string {
		file, number, _ := strings.Cut(found, ":")
		line, err := strconv.Atoi(number)
		if err != nil || line <= r.wrapped.initLine {
			return found
		}
		return file + "(init):" + strconv.Itoa(line-r.wrapped.initLine)
	})
}

// LostError ends a run if the run's keys are missing before their deadlines. A client deleted the keys, or the server
// evicted them or restarted. Decisions that were made without the keys are invalid.
type LostError struct {
	Key  string // one of the missing keys
	Keys int    // the number of missing keys
}

func (e *LostError) Error() string {
	const gone = "vanished from the server during the run, after a deletion (FLUSHALL, FLUSHDB or DEL?), " +
		"an eviction or a restart; the run's figures are invalid; repeat the run"
	if e.Keys == 1 {
		return fmt.Sprintf("the run's key %q %s", e.Key, gone)
	}
	return fmt.Sprintf("%d keys of the run, such as %q, %s", e.Keys, e.Key, gone)
}

// isLost reports whether err says that the server lost keys or scripts.
func isLost(err error) bool {
	var keys *LostError
	return errors.As(err, &keys) || errors.Is(err, ErrLost)
}

// lost returns the error for missing keys, or nil if no keys are missing.
func lost(keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	return &LostError{Key: keys[0], Keys: len(keys)}
}
