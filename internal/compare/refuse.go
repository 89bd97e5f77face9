package compare

import (
	"fmt"

	"ratelab/internal/benchresult"
	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

// Refusal is why two results must not be compared.
type Refusal struct{ reason string }

func (e *Refusal) Error() string { return e.reason }

func refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// checkComparable refuses results of different backends, and of scenarios that are not the same under one name.
func checkComparable(older, younger *benchresult.Document) error {
	if older.Server.Name != younger.Server.Name {
		return refuse("the old file was measured on %s, the new one on %s; "+
			"compare results of one kind of server, or measure both in one run with --base and --head",
			message.Bare(older.Server.Name), message.Bare(younger.Server.Name))
	}
	runs := commonRuns(older, younger)
	for _, run := range runs {
		if err := sameScenario(run[0], run[1]); err != nil {
			return err
		}
	}
	rows := len(common(older.Costs, younger.Costs, costLabel))
	for _, run := range runs {
		rows += len(common(run[0].Rows, run[1].Rows, rowLabel))
	}
	if rows == 0 {
		return refuse("the files have no algorithm in common; compare results of the same scenarios and algorithms")
	}
	return nil
}

// sameScenario refuses runs that answer different questions under one name.
func sameScenario(older, younger *benchresult.Play) error {
	for _, f := range []fact{
		{"contents (sha256)", older.ScenarioSHA256, younger.ScenarioSHA256},
		{"seed", fmt.Sprint(older.Seed), fmt.Sprint(younger.Seed)},
		{"limit", older.Limit.String(), younger.Limit.String()},
		{"played time", sheet.Span(older.PlayedUS), sheet.Span(younger.PlayedUS)},
	} {
		if f.was != f.is {
			return refuse("scenario %s: its %s is %s in the old file and %s in the new one; measure both with the same scenario, seed, limit and duration",
				message.Quote(older.Scenario), f.name, message.Bare(f.was), message.Bare(f.is))
		}
	}
	return nil
}

// timingRefusal says why the timings of two results must not be compared, or nothing.
func timingRefusal(older, younger *benchresult.Document) string {
	for _, h := range []*benchresult.Header{&older.Header, &younger.Header} {
		if h.Partial {
			return "one of the runs was interrupted"
		}
	}
	for _, f := range circumstances(older, younger) {
		if f.was != f.is {
			return fmt.Sprintf("measured under other circumstances: %s %s, now %s", f.name, message.Bare(f.was), message.Bare(f.is))
		}
	}
	return ""
}

// fact is one circumstance on the two sides.
type fact struct{ name, was, is string }

// circumstances are what timings depend on besides the code.
func circumstances(older, younger *benchresult.Document) []fact {
	a, b := older, younger
	list := []fact{
		{"CPU", a.Machine.CPU, b.Machine.CPU},
		{"cores", fmt.Sprint(a.Machine.Cores), fmt.Sprint(b.Machine.Cores)},
		{"system", a.Machine.OS + "/" + a.Machine.Architecture, b.Machine.OS + "/" + b.Machine.Architecture},
		{"kernel", a.Machine.Kernel, b.Machine.Kernel},
		{"Go", a.Machine.Go, b.Machine.Go},
		{"server", a.Server.String(), b.Server.String()},
		{"route", a.Server.Route, b.Server.Route},
		{"server of our own", fmt.Sprint(a.Server.Own), fmt.Sprint(b.Server.Own)},
		{"maxmemory-policy", a.Server.MaxmemoryPolicy, b.Server.MaxmemoryPolicy},
		{"pacer", a.Generator.Pacer, b.Generator.Pacer},
		{"GOMAXPROCS", fmt.Sprint(a.Generator.GOMAXPROCS), fmt.Sprint(b.Generator.GOMAXPROCS)},
		{"GOGC", fmt.Sprint(a.Generator.GOGC), fmt.Sprint(b.Generator.GOGC)},
	}
	s, t := &a.Settings, &b.Settings
	return append(list,
		fact{"connections", fmt.Sprint(s.Connections), fmt.Sprint(t.Connections)},
		fact{"duration", sheet.Span(s.DurationUS), sheet.Span(t.DurationUS)},
		fact{"warm-up", sheet.Span(s.WarmUpUS), sheet.Span(t.WarmUpUS)},
		fact{"segment", sheet.Span(s.SegmentUS), sheet.Span(t.SegmentUS)},
		fact{"cost limit", s.CostLimit.String(), t.CostLimit.String()})
}
