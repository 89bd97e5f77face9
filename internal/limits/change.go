package limits

import (
	"fmt"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// change compares two limits by the requests that they refuse. The field Who has all clients.
func (l *Log) change(before, after []limit.Each) *result.Change {
	c := &result.Change{}
	for i := range l.clients {
		who := changed(l.of(&l.clients[i]), before, after)
		who.Key = l.clients[i].key
		c.Who = append(c.Who, who)
		c.NewlyRejected += who.NewlyRejected
		c.NoLongerRejected += who.NoLongerRejected
		c.Clients += min(who.NewlyRejected, 1)
		switch {
		case who.RejectedOld == 0 && who.RejectedNew > 0:
			c.ClientsNewly++
		case who.RejectedOld > 0 && who.RejectedNew == 0:
			c.ClientsNoLonger++
		}
	}
	return c
}

// changed compares two limits for one client.
func changed(all []request, before, after []limit.Each) (who result.Changed) {
	for _, q := range all {
		rejects, rejectsNow := before[q.place] != 0, after[q.place] != 0
		who.Asked += q.cost
		if rejects {
			who.RejectedOld += q.cost
		}
		if rejectsNow {
			who.RejectedNew += q.cost
		}
		switch {
		case rejectsNow && !rejects:
			if who.LastUS = q.atUS; who.NewlyRejected == 0 {
				who.FirstUS = q.atUS
			}
			who.NewlyRejected += q.cost
		case rejects && !rejectsNow:
			who.NoLongerRejected += q.cost
		}
	}
	return who
}

// Exceeded returns an error if more requests are newly rejected than allowed. The worse reading of whole seconds
// counts. It returns nil if the user gave no maximum.
func Exceeded(d *result.Document) error {
	if d.Users == nil || d.Users[0].Change == nil || d.Users[0].Change.Most == nil {
		return nil
	}
	worst, most := int64(0), *d.Users[0].Change.Most
	for _, u := range d.Users {
		worst = max(worst, u.Change.NewlyRejected)
	}
	if worst <= most {
		return nil
	}
	text := ""
	if len(d.Users) > 1 {
		text = " in the worse reading of the log's whole seconds"
	}
	return fmt.Errorf("%s newly rejected%s; --max-newly-rejected allows %s", message.Grouped(worst), text,
		message.Grouped(most))
}
