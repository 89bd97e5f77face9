package limits

import (
	"fmt"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// change compares two limits in each reading. All readings have the same clients.
func change(users []result.Users, readings []*Log, before, after limit.Policy) {
	for i, l := range readings {
		c := &result.Change{}
		users[i].Change = c
		for _, all := range l.clients {
			who := all.changed(before, after)
			c.Who = append(c.Who, who)
			c.NewlyRejected += who.NewlyRejected
			c.NoLongerRejected += who.NoLongerRejected
			if who.NewlyRejected > 0 {
				c.Clients++
			}
			switch {
			case who.RejectedOld == 0 && who.RejectedNew > 0:
				c.ClientsNewly++
			case who.RejectedOld > 0 && who.RejectedNew == 0:
				c.ClientsNoLonger++
			}
		}
	}
	order := order(len(readings[0].clients), func(i int) (most [2]int64) {
		for _, u := range users {
			most[0] = max(most[0], u.Change.Who[i].NewlyRejected)
			most[1] = max(most[1], u.Change.Who[i].NoLongerRejected)
		}
		return most
	})
	for _, u := range users {
		who := make([]result.Changed, len(order))
		for place, i := range order {
			who[place] = u.Change.Who[i]
		}
		u.Change.Who = who
	}
}

// changed compares two limits for one client.
func (c *client) changed(before, after limit.Policy) result.Changed {
	who := result.Changed{Key: c.key}
	rejects, rejectsNow := c.over(before), c.over(after)
	for i, q := range c.requests {
		who.Asked += q.cost
		if rejects[i] {
			who.RejectedOld += q.cost
		}
		if rejectsNow[i] {
			who.RejectedNew += q.cost
		}
		switch {
		case rejectsNow[i] && !rejects[i]:
			if who.LastUS = q.atUS; who.NewlyRejected == 0 {
				who.FirstUS = q.atUS
			}
			who.NewlyRejected += q.cost
		case rejects[i] && !rejectsNow[i]:
			who.NoLongerRejected += q.cost
		}
	}
	return who
}

// Exceeded is an error if more is newly rejected than allowed, in any reading. It is nil if no maximum was given.
func Exceeded(d *result.Document) error {
	if d.Users[0].Change == nil || d.Users[0].Change.Most == nil {
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
