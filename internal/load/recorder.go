package load

// recorder is one worker's way to the collector.
type recorder struct {
	c     *collector
	sheet []sample
}

func (c *collector) recorder() *recorder { return &recorder{c: c, sheet: c.sheet()} }

// add notes a call.
func (r *recorder) add(s sample) {
	r.sheet = append(r.sheet, s)
	if len(r.sheet) == cap(r.sheet) {
		r.c.sheets <- r.sheet
		r.sheet = r.c.sheet()
	}
}

// close passes on what there is.
func (r *recorder) close() { r.c.sheets <- r.sheet }
