package tune

import (
	"fmt"
	"math"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

// sampling is what is said of the sample.
func (c *census) sampling(at float64) *Sampling {
	s, t := c.traffic.Sample, c.strata
	return &Sampling{Share: s.Share, Salt: s.Salt, Within: s.Within, PlannedAt: at, MostOfRest: t.most,
		HeavyKeys: t.heavy, OtherKeys: t.rest, SampledKeys: t.drawn, RequestsPlayed: t.requests}
}

// widest is how far off a share of so many requests may be with the fewest heavy keys, up to a tenth of a point.
func (s *Sampling) widest(requests int64) float64 {
	p := min(s.PlannedAt, 0.5)
	standard := math.Sqrt((1 - s.Share) / s.Share * p * (1 - p) * mostLight / float64(requests))
	return math.Ceil(2000*standard) / 1000
}

// savesNothing says why all keys are played, and what would change that.
func (s *Sampling) savesNothing(requests int64) string {
	return fmt.Sprintf("every key has more than %s: a sample of %s of so few requests cannot say shares within %s, "+
		"and so all keys are played; --within %s would play fewer", message.Count(s.MostOfRest, "request"),
		given(s.Share), given(s.Within), given(s.widest(requests)))
}

// leavesOut reports whether some keys were not played.
func (d *Document) leavesOut() bool {
	return d.Sample != nil && d.Sample.SampledKeys < d.Sample.OtherKeys
}

// worstWords is what a worst second is called.
func (d *Document) worstWords() string {
	if d.leavesOut() {
		return "worst second at least"
	}
	return "worst second"
}

// sampleText is which keys were played.
func (d *Document) sampleText() string {
	s := d.Sample
	text := fmt.Sprintf("sample of %s, salt %d: all %s with more than %s (n_max), and %d of the other %s; %s played",
		given(s.Share), s.Salt, message.Count(s.HeavyKeys, "heavy key"), message.Count(s.MostOfRest, "request"),
		s.SampledKeys, message.Count(s.OtherKeys, "key"), message.Count(s.RequestsPlayed, "request"))
	if !d.leavesOut() {
		text += ": nobody is left out, and all is exact"
	}
	return text
}

// brief is the estimate in a table.
func (e *Estimate) brief() string {
	if e.PlusMinus == nil {
		return sheet.Percent(e.Share) + " too few"
	}
	return sheet.Percent(e.Share) + " ±" + strings.TrimSuffix(sheet.Percent(*e.PlusMinus), "%")
}

// inFull is the share that is refused, in a sentence.
func (d *Document) inFull(f *Figures) string {
	switch e := d.Wishes.estimate(f); {
	case e == nil || !d.leavesOut():
		return d.refused(f)
	case e.PlusMinus == nil:
		return sheet.Percent(e.Share) + " (too few sampled keys)"
	default:
		return sheet.Percent(e.Share) + " ± " + sheet.Percent(*e.PlusMinus)
	}
}

// reserve is what a sample leaves open of a row that is chosen.
func (d *Document) reserve(r *Row) (text string) {
	if !d.leavesOut() {
		return ""
	}
	if w := &d.Wishes; w.RefuseAtMost != nil {
		e := w.estimate(&r.Fitted)
		switch {
		case r.Straddles:
			text += "; the interval, fitted, straddles the wish of " + given(*w.RefuseAtMost)
		case e.PlusMinus == nil:
			text += "; fitted, there are too few sampled keys to say how near the wish that is"
		}
	}
	if !d.ShowsProtection(r) {
		text += "; that it protects the backend is not shown"
	}
	return text
}

// ShowsProtection reports whether what is wished for the backend is known to hold on the fitted part. Of a sample that
// is so only where it would hold without a limit.
func (d *Document) ShowsProtection(r *Row) bool {
	return d.Wishes.Protect == nil || d.Wishes.protects(&d.Unlimited.Fitted) ||
		!d.leavesOut() && d.Wishes.protects(&r.Fitted)
}

// sampledHeader is the columns of CSV that a sample adds.
func sampledHeader() (header []string) {
	header = append(header, "straddles", "straddles_held_out")
	for _, part := range []string{"fitted", "held_out"} {
		for _, of := range []string{"users", "requests", "cost"} {
			header = append(header, part+"_"+of+"_refused_share", part+"_"+of+"_refused_plus_minus")
		}
		header = append(header, part+"_worst_second_is")
	}
	return header
}

// sampled is the row's cells below sampledHeader.
func (r *Row) sampled() []string {
	cells := []string{fmt.Sprint(r.Straddles), fmt.Sprint(r.StraddlesHeldOut)}
	for _, f := range []*Sampled{r.Fitted.Sampled, r.HeldOut.Sampled} {
		for _, e := range []*Estimate{&f.Users, &f.Requests, &f.Cost} {
			plusMinus := "too few sampled keys"
			if e.PlusMinus != nil {
				plusMinus = sheet.Float(*e.PlusMinus)
			}
			cells = append(cells, sheet.Float(e.Share), plusMinus)
		}
		cells = append(cells, f.WorstSecond)
	}
	return cells
}

// worst is a worst second in a table.
func (d *Document) worst(f *Figures) string {
	if d.leavesOut() {
		return ">=" + sheet.Integer(f.WorstSecond)
	}
	return sheet.Integer(f.WorstSecond)
}

// sampleNotes is how figures of a sample are to be read.
func (d *Document) sampleNotes() []string {
	s := d.Sample
	if s == nil {
		return nil
	}
	if !d.leavesOut() && s.Share < 1 {
		return []string{"note: " + s.savesNothing(d.Traffic.Requests)}
	}
	if !d.leavesOut() {
		return nil
	}
	lines := []string{"shares are estimates, ± two standard errors in percentage points; too few: too few sampled " +
		"keys for an interval, under 100 with a refusal (of users, or without one); wishes are held against the " +
		"estimates",
		"worst seconds are at least so much (>=), as among the keys played; without a limit it is exact, of all keys"}
	if s.MostOfRest < mostLight && 2*s.RequestsPlayed > d.Traffic.Requests {
		lines = append(lines, fmt.Sprintf("note: the keys played have %s of the requests, since shares are wanted "+
			"within %s; --within %s would play fewer", sheet.Percent(share(s.RequestsPlayed, d.Traffic.Requests)),
			given(s.Within), given(s.widest(d.Traffic.Requests))))
	}
	if d.Wishes.Protect != nil && !d.Wishes.protects(&d.Unlimited.Fitted) {
		lines = append(lines, "note: no sample shows that the backend is protected: have the chosen setting decided "+
			"without --sample (--limit, --burst, -a)")
	}
	return lines
}
