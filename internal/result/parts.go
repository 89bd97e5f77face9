package result

import (
	"fmt"
	"strings"
	"time"

	"ratelab/internal/limit"
)

// Tool names the program that wrote a document.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Limit is the policy of a run with all its fields.
type Limit struct {
	Requests int64 `json:"requests" jsonschema:"minimum=1"`
	WindowUS int64 `json:"window_us" jsonschema:"minimum=0"`
	Burst    int64 `json:"burst"`
	// the rule to keep: Requests in every interval of the window, or Burst and Requests per window in every interval
	Contract limit.Contract `json:"contract" jsonschema:"type=string,enum=window,enum=bucket,enum=in_flight"`
}

// NamedLimit is one of several limits on a request.
type NamedLimit struct {
	Name string `json:"name" jsonschema:"minLength=1"`
	Limit
	Counts string `json:"counts" jsonschema:"enum=cost,enum=requests"`
	Key    int    `json:"key,omitempty"` // the part of a joined key that it applies to; absent: the whole key
}

// String formats the limit as --limit reads it, without its name: 120/1m:requests.
func (l NamedLimit) String() string {
	return limit.Limit{Name: l.Name, Policy: l.Policy(), CountsRequests: l.Counts == "requests", Part: l.Key}.String()
}

// Short returns the limit's name, or the limit itself if it has a default name.
func (l NamedLimit) Short() string {
	if l.Contract == limit.ByFlight && strings.HasPrefix(l.Name, "limit") {
		return fmt.Sprintf("%d slots", l.Requests)
	}
	for i := range limit.MostLimits {
		if l.Name == limit.DefaultName(i) {
			return fmt.Sprintf("%d/%s", l.Requests, limit.FormatDuration(time.Duration(l.WindowUS)*time.Microsecond))
		}
	}
	return l.Name
}

// NamedLimitOf returns one of several limits.
func NamedLimitOf(l limit.Limit) NamedLimit {
	return NamedLimit{l.Name, LimitOf(l.Policy), l.Counts(), l.Part}
}

// LimitOf returns the limit of a policy, with its default burst filled in.
func LimitOf(p limit.Policy) Limit {
	return Limit{Requests: p.Requests, WindowUS: p.WindowUS(), Burst: p.Capacity(), Contract: p.Contract}
}

// Policy returns the limit as a policy.
func (l Limit) Policy() limit.Policy {
	return limit.Policy{Requests: l.Requests, Window: time.Duration(l.WindowUS) * time.Microsecond, Burst: l.Burst,
		Contract: l.Contract}
}

// Server describes the server, or the models, that decided.
type Server struct {
	// embedded, process, container, url or model
	Kind string `json:"kind" jsonschema:"enum=embedded,enum=process,enum=container,enum=url,enum=model"`
	// miniredis, redis, valkey or go
	Name string `json:"name"`
	// as the server reports it
	Version string `json:"version"`
	// pipe, unix, tcp, tls or none
	Transport string `json:"transport" jsonschema:"enum=pipe,enum=unix,enum=tcp,enum=tls,enum=none"`
	// why --redis auto used the embedded server for users' scripts; absent if it did not
	Fallback string `json:"fallback,omitempty"`
}

// String formats the limit as the command line reads it: 1000/3s, or 1000/3s burst 100.
func (l Limit) String() string {
	return l.Policy().String()
}

// String formats the server for readers of figures: redis 7.0.15 (process, unix).
func (s Server) String() string {
	name := strings.TrimSpace(s.Name + " " + s.Version)
	if s.Transport == "" || s.Transport == "none" {
		return fmt.Sprintf("%s (%s)", name, s.Kind)
	}
	return fmt.Sprintf("%s (%s, %s)", name, s.Kind, s.Transport)
}

// SameAs reports whether two servers have the same kind, name and version.
func (s Server) SameAs(other Server) bool {
	return s.Kind == other.Kind && s.Name == other.Name && s.Version == other.Version
}
