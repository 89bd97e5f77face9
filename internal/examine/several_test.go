package examine

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"ratelab/internal/engine"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/load"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
)

// ofSeveral are the findings about several limits, with the word fault or property.
func ofSeveral(e *result.Examination) (all []string) {
	for _, f := range e.Findings {
		if f.Limits != nil {
			all = append(all, map[bool]string{true: "fault ", false: "property "}[f.Fault]+f.Kind)
		}
	}
	return all
}

// underSeveral examines only what several limits do to each other.
func underSeveral(t *testing.T, side *limiter.Spec, limits string) *result.Examination {
	t.Helper()
	all, err := limit.ParseLimits(limits)
	if err != nil {
		t.Fatal(err)
	}
	e := engine.On(t.Context(), redistest.Embedded(t), load.Wall)
	defer e.Close()
	s := Script{At: side.At, Engine: e, Several: func() (*limiter.Limiter, error) { return side.UnderAll(all, nil) }}
	x, err := s.under(t.Context(), all[0].Policy)
	if err == nil {
		err = x.across()
	}
	if err != nil {
		t.Fatal(err)
	}
	return x.found
}

// What the ways of asking do to each other is known: only a script that asks all limits in one call can spare them.
func TestTheWaysOfAsking(t *testing.T) {
	const charges, retry = "property charges_others", "property retry_others"
	for label, want := range map[string][]string{
		"sliding-window-log:ask=order":    {retry},
		"sliding-window-log:ask=reversed": {charges},
		"sliding-window-log:ask=all":      {charges},
		"fixed-window-aligned:ask=atomic": nil,
		"gcra:ask=atomic":                 nil,
	} {
		side, err := limiter.SpecOf(script.OnDisk(label), "")
		if err != nil {
			t.Fatal(err)
		}
		e := underSeveral(t, side, "10/1s+100/1m")
		if got := ofSeveral(e); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q: %+v", label, got, want, texts(e))
		}
		if !strings.Contains(strings.Join(e.Checked, ", "), "several limits (4 plays)") {
			t.Errorf("%s: checked %q", label, e.Checked)
		}
	}
}

// oneCall has a script that asks all limits in one call and decides well, and two that do not.
const oneCall = `
-- right.lua --
for i = 1, #KEYS do
  if redis.call('GET', KEYS[i]) and redis.call('GET', KEYS[i]) + ARGV[3 * i - 2] > tonumber(ARGV[3 * i - 1]) then
    local wait = 0
    for k = 1, #KEYS do
      local used = tonumber(redis.call('GET', KEYS[k]) or 0)
      if used + ARGV[3 * k - 2] > tonumber(ARGV[3 * k - 1]) then wait = math.max(wait, redis.call('PTTL', KEYS[k])) end
    end
    return {0, i, wait}
  end
end
for i = 1, #KEYS do
  if redis.call('INCRBY', KEYS[i], ARGV[3 * i - 2]) == tonumber(ARGV[3 * i - 2]) then
    redis.call('PEXPIRE', KEYS[i], ARGV[3 * i])
  end
end
return {1, 0, 0}
-- charges.lua --
for i = 1, #KEYS do
  local used = redis.call('INCRBY', KEYS[i], ARGV[3 * i - 2])
  if used == tonumber(ARGV[3 * i - 2]) then redis.call('PEXPIRE', KEYS[i], ARGV[3 * i]) end
  if used > tonumber(ARGV[3 * i - 1]) then
    redis.call('DECRBY', KEYS[i], ARGV[3 * i - 2])
    return {0, i, redis.call('PTTL', KEYS[i])}
  end
end
return {1, 0, 0}
`

const oneCallBinding = `keys: {each: ["{key}:{name}"]}
args: {each: ["{cost}", "{limit}", "{window_ms}"]}
admitted: [1]
element: 1
gate: {element: 2, first: 1}
retry_after: {element: 3, unit: ms}
`

// A script that decides by all limits in one call can keep the laws, so a breach is a fault, with the traffic.
func TestOneCallOfSeveralLimits(t *testing.T) {
	archive := txtar.Parse([]byte(oneCall))
	for _, f := range archive.Files {
		archive.Files = append(archive.Files, txtar.File{Name: strings.Replace(f.Name, ".lua", ".yaml", 1),
			Data: []byte(oneCallBinding)})
	}
	for _, test := range []struct {
		file, limits string
		want         []string
	}{
		{"right.lua", "100/1m+10/1s", nil},
		{"charges.lua", "100/1m+10/1s", []string{"fault charges_others"}},
		{"charges.lua", "10/1s+100/1m", []string{"fault retry_others"}},
	} {
		e := underSeveral(t, limiter.OfFile(fileIn(archive, test.file)), test.limits)
		if got := ofSeveral(e); !slices.Equal(got, test.want) {
			t.Errorf("%s at %s: %q, want %q: %+v", test.file, test.limits, got, test.want, texts(e))
		}
		for i := range e.Findings {
			if f := &e.Findings[i]; f.Limits != nil {
				s, err := scenario.Parse("shown.yaml", Scenario(e, f))
				if err != nil || len(s.Limits) != 2 {
					t.Errorf("%s: %v\n%s", f.Kind, err, Scenario(e, f))
				}
			}
		}
	}
}
