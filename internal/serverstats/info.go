package serverstats

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ratelab/internal/message"
)

// parse reads the text of INFO. Fields that it does not know are skipped, since servers have more with every
// version; a field that it knows and cannot read is an error, and so is one that is missing: no figure is ever zero
// because it could not be read.
func parse(text string) (Snapshot, error) {
	if !strings.HasSuffix(text, "\n") {
		return Snapshot{}, errors.New("INFO is cut short: its last line has no end")
	}
	s := Snapshot{Known: true, Commands: map[string]CommandDelta{}}
	wanted := s.fields()
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		name, value, _ := strings.Cut(line, ":")
		var err error
		if command, ok := strings.CutPrefix(name, "cmdstat_"); ok {
			s.Commands[strings.ToLower(command)], err = parseCommand(value)
		} else if field, ok := wanted[name]; ok {
			err = set(field, value)
			delete(wanted, name)
		}
		if err != nil {
			return Snapshot{}, fmt.Errorf("INFO has the line %s: %w", message.Quote(line), err)
		}
	}
	if missing := slices.Sorted(maps.Keys(wanted)); len(missing) > 0 {
		return Snapshot{}, fmt.Errorf("INFO lacks %s; want the sections %s of Redis 7.0 or later, or of Valkey",
			strings.Join(missing, ", "), strings.Join(sections, ", "))
	}
	return s, nil
}

// fields are the places of INFO's fields in s.
func (s *Snapshot) fields() map[string]any {
	return map[string]any{
		"run_id":                     &s.RunID,
		"connected_clients":          &s.ConnectedClients,
		"used_memory":                &s.UsedMemoryBytes,
		"maxmemory":                  &s.MaxMemoryBytes,
		"maxmemory_policy":           &s.MaxMemoryPolicy,
		"total_connections_received": &s.ConnectionsReceived,
		"rejected_connections":       &s.ConnectionsRejected,
		"total_net_input_bytes":      &s.NetInBytes,
		"total_net_output_bytes":     &s.NetOutBytes,
		"expired_keys":               &s.ExpiredKeys,
		"evicted_keys":               &s.EvictedKeys,
		"total_error_replies":        &s.ErrorReplies,
		"used_cpu_user":              &s.CPUUserSec,
		"used_cpu_sys":               &s.CPUSysSec,
		"# Commandstats":             nil, // the heading: no commands below it is an answer, no heading is none
	}
}

// set puts a value into the place of a field.
func set(field any, value string) error {
	var err error
	switch field := field.(type) {
	case *string:
		*field = value
	case *int64:
		*field, err = number(value)
	case *float64:
		if *field, err = strconv.ParseFloat(value, 64); err != nil || !(*field >= 0) {
			err = errors.New("want seconds from 0 on")
		}
	}
	return err
}

// number reads a count.
func number(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, errors.New("want a whole number from 0 on")
	}
	return n, nil
}

// parseCommand reads "calls=3,usec=12,usec_per_call=4.00,rejected_calls=0,failed_calls=0".
func parseCommand(text string) (CommandDelta, error) {
	var c CommandDelta
	wanted := map[string]*int64{
		"calls": &c.Calls, "usec": &c.Usec, "rejected_calls": &c.RejectedCalls, "failed_calls": &c.FailedCalls,
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		if field := wanted[name]; field != nil {
			n, err := number(value)
			if err != nil {
				return CommandDelta{}, fmt.Errorf("%s: %w", name, err)
			}
			*field = n
			delete(wanted, name)
		}
	}
	if len(wanted) > 0 {
		return CommandDelta{}, errors.New("want calls, usec, rejected_calls and failed_calls")
	}
	return c, nil
}
