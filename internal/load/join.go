package load

// Add joins another run of the same callers, after r. Its intervals are left out: they would begin anew. The zero
// ClosedResult is no run at all.
func (r *ClosedResult) Add(o *ClosedResult) {
	if r.Workers == 0 {
		first := *o
		first.OfAccepted, first.OfRejected = NewDurations(), NewDurations()
		*r = first
		r.Intervals = nil
	} else {
		r.Accepted += o.Accepted
		r.Rejected += o.Rejected
		r.Sent += o.Sent
		r.WarmUp += o.WarmUp
		r.Overflow += o.Overflow
		r.BytesWritten += o.BytesWritten
		r.BytesRead += o.BytesRead
		r.Stopped = r.Stopped || o.Stopped
		r.Elapsed += o.Elapsed
		r.Health.add(o.Health)
		if o.Silence.Lasted > r.Silence.Lasted {
			r.Silence = o.Silence
		}
	}
	r.OfAccepted.Merge(o.OfAccepted)
	r.OfRejected.Merge(o.OfRejected)
	if r.Elapsed > 0 {
		r.PerSecond = float64(r.Sent) / r.Elapsed.Seconds()
	}
}

// add joins what the generator suffered in another run. Of percentiles the worse one stands for both.
func (h *Health) add(o Health) {
	h.Watched += o.Watched
	h.Beats += o.Beats
	if o.LongestStall > h.LongestStall {
		h.LongestStall, h.StalledAt = o.LongestStall, o.StalledAt
	}
	h.GCPauseP999, h.GCPauseMax = max(h.GCPauseP999, o.GCPauseP999), max(h.GCPauseMax, o.GCPauseMax)
	h.GCPauses += o.GCPauses
	h.SchedLatencyP99 = max(h.SchedLatencyP99, o.SchedLatencyP99)
	if h.CPU >= 0 && o.CPU >= 0 {
		h.CPU += o.CPU
	} else {
		h.CPU = -1
	}
	if o.ClockStep.Abs() > h.ClockStep.Abs() {
		h.ClockStep = o.ClockStep
	}
}
