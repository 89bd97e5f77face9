package benchresult

// stretches are d's histograms with the names of their fields.
func (d *Durations) stretches() []stretch {
	return []stretch{{"lag", d.Lag}, {"wait", d.Wait}, {"service", d.Service}, {"response", d.Response}}
}

type stretch struct {
	name string
	*Histogram
}

// verdicts are o's two halves with the names of their fields.
func (o *Outcomes) verdicts() []verdict {
	return []verdict{{MixAccepted, &o.Accepted}, {MixRejected, &o.Rejected}}
}

type verdict struct {
	name string
	*Durations
}
