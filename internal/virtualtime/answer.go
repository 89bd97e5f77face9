package virtualtime

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/limit"
)

// CallError is a call that failed: of the script, or of a command inside it.
type CallError struct {
	Request limit.Request
	Text    string // what the server or the script said
}

func (e *CallError) Error() string {
	return fmt.Sprintf("request at %dµs, key %q, cost %d: %s", e.Request.AtUS, e.Request.Key, e.Request.Cost, e.Text)
}

// read turns a round's answers into decisions.
func (r *Runner) read(last *round, decisions []limit.Decision) error {
	requests := last.requests
	for _, e := range last.evals {
		if err := r.answer(e.cmd, requests[:e.size], decisions[:e.size]); err != nil {
			return err
		}
		requests, decisions = requests[e.size:], decisions[e.size:]
	}
	return nil
}

// answer reads one EVAL's reply into decisions.
func (r *Runner) answer(cmd *redis.RawCmd, requests []limit.Request, decisions []limit.Decision) error {
	data, err := cmd.Result()
	if err != nil {
		return err
	}
	s := &r.scan
	s.reset(data)
	parts, err := s.array()
	if err != nil {
		return &CallError{requests[0], err.Error()}
	}
	n, err := s.array()
	if err != nil || n > len(requests) {
		return fmt.Errorf("the wrapper answered %d decisions for %d requests (%v)", n, len(requests), err)
	}
	for i := range n {
		s.release()
		reply, err := s.value()
		if err != nil {
			return err
		}
		if decisions[i], err = r.program.Decode(reply); err != nil {
			return &CallError{requests[i], err.Error()}
		}
	}
	if err := r.account(); err != nil {
		return err
	}
	if parts == 4 {
		problem, err := s.value()
		if err != nil {
			return err
		}
		return &CallError{requests[min(n, len(requests)-1)], r.place(problem.Text)}
	}
	if n != len(requests) {
		return fmt.Errorf("the wrapper answered %d decisions for %d requests", n, len(requests))
	}
	return nil
}

// account reads the number of calls and the keys that may have come or changed.
func (r *Runner) account() error {
	calls, err := r.scan.value()
	if err != nil {
		return err
	}
	r.calls += calls.Int
	changed, err := r.scan.value()
	if err != nil {
		return err
	}
	for i := 0; i+1 < len(changed.Items); i += 2 {
		deadline := int64(forever)
		if text := changed.Items[i+1].Text; text != "" {
			if deadline, err = strconv.ParseInt(text, 10, 64); err != nil {
				return fmt.Errorf("the wrapper answered the deadline %q", text)
			}
		}
		r.living.set(changed.Items[i].Text, deadline)
	}
	return nil
}

var errorLine = regexp.MustCompile(`(user_script|<string>):(\d+)`)

// place corrects the line numbers of an error in the init script, which follows the main script in the wrapper.
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
