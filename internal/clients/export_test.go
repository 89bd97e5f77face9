package clients

// Next returns the time of the next event that does not depend on a reply.
func (l *Live) Next() int64 {
	us := l.endUS
	if len(l.operations) > 0 {
		us = min(us, l.operations[0].AtUS)
	}
	if len(l.events) > 0 {
		us = min(us, l.events[0].dueUS)
	}
	return us
}
