package tune

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"ratelab/internal/limit"
	"ratelab/internal/sheet"
)

// What a share is of.
const (
	Users    = "users"    // good users who are ever refused
	Requests = "requests" // requests of good users that are refused
)

// Wishes are what must hold. At least one is stated.
type Wishes struct {
	// the largest share that may be refused; null: any
	RefuseAtMost *float64 `json:"refuse_at_most" jsonschema:"nullable"`
	// of what shares are: users or requests
	Of string `json:"of" jsonschema:"enum=users,enum=requests"`
	// the largest cost that the backend takes in any second; null: any
	Protect *int64 `json:"protect_per_second" jsonschema:"nullable"`
}

var shareText = regexp.MustCompile(`^([0-9]{1,3}(?:\.[0-9]{1,8})?)%(users|requests)$`)

// ParseShare reads "0.1%users" or "2%requests".
func ParseShare(text string) (share float64, of string, err error) {
	found := shareText.FindStringSubmatch(text)
	if found == nil {
		return 0, "", errors.New("want a share of users or of requests, such as 0.1%users or 1%requests")
	}
	// read as hundredths at once, so that 0.7% is what 14 of 2000 are
	share, err = strconv.ParseFloat(found[1]+"e-2", 64)
	if err != nil || share > 1 {
		return 0, "", errors.New("want a share from 0% to 100%")
	}
	return share, found[2], nil
}

// ParseProtect reads "500/s": what the backend takes in any second.
func ParseProtect(text string) (int64, error) {
	count, per, _ := strings.Cut(text, "/")
	n, err := strconv.ParseInt(count, 10, 64)
	if err != nil || n < 1 || n > limit.MaxRequests || per != "s" && per != "1s" {
		return 0, errors.New("want what the backend takes in a second, such as 500/s")
	}
	return n, nil
}

// String is the wishes in words.
func (w *Wishes) String() string {
	var all []string
	if w.RefuseAtMost != nil {
		all = append(all, "at most "+given(*w.RefuseAtMost)+" of good users"+map[string]string{
			Users: " ever refused", Requests: "' requests refused"}[w.Of])
	}
	if w.Protect != nil {
		all = append(all, "at most "+sheet.Integer(*w.Protect)+" for the backend in any second")
	}
	return strings.Join(all, "; ")
}

// given is a share as somebody wrote it, as a percentage.
func given(share float64) string { return strconv.FormatFloat(share*100, 'g', 8, 64) + "%" }

// refused is how many are refused, and of how many, in the unit of the wish.
func (w *Wishes) refused(f *Figures) (n, of int64) {
	if w.Of == Users {
		return f.UsersRefused, f.Users
	}
	return f.RequestsRefused, f.Requests
}

// spares reports whether no more is refused than was wished.
func (w *Wishes) spares(f *Figures) bool {
	if e := w.estimate(f); e != nil && w.RefuseAtMost != nil {
		return e.Share <= *w.RefuseAtMost+1e-12
	}
	n, of := w.refused(f)
	return w.RefuseAtMost == nil || n <= atMost(*w.RefuseAtMost, of)
}

// estimate is the share that is refused, in the unit of the wish, where keys are sampled; nil where they are not.
func (w *Wishes) estimate(f *Figures) *Estimate {
	switch {
	case f.Sampled == nil:
		return nil
	case w.Of == Users:
		return &f.Sampled.Users
	}
	return &f.Sampled.Requests
}

// share is that of what is refused, in the unit of the wish.
func (w *Wishes) share(f *Figures) float64 {
	if e := w.estimate(f); e != nil {
		return e.Share
	}
	return share(w.refused(f))
}

// straddles reports whether the wish lies within the interval of what is refused.
func (w *Wishes) straddles(f *Figures) bool {
	e := w.estimate(f)
	return e != nil && w.RefuseAtMost != nil && e.covers(*w.RefuseAtMost)
}

// planned is the share at which a sample has to be exact.
func (w *Wishes) planned() float64 {
	if w.RefuseAtMost != nil {
		return *w.RefuseAtMost
	}
	return usualShare
}

// protects reports whether the backend gets no more than was wished.
func (w *Wishes) protects(f *Figures) bool { return w.Protect == nil || f.WorstSecond <= *w.Protect }

// keeps reports whether all wishes are kept.
func (w *Wishes) keeps(f *Figures) bool { return w.spares(f) && w.protects(f) }

// room is how far the nearest wish is from being broken: 1 less the figure as a share of what is allowed.
func (w *Wishes) room(f *Figures) float64 {
	room := 1.0
	if w.Protect != nil {
		room = 1 - float64(f.WorstSecond)/float64(*w.Protect)
	}
	if w.RefuseAtMost != nil && *w.RefuseAtMost > 0 {
		room = min(room, 1 - w.share(f) / *w.RefuseAtMost)
	}
	return room
}

// share is a part of a whole; of nothing it is none.
func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
