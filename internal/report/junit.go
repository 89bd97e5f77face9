package report

import (
	"cmp"
	"encoding/xml"
	"io"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// These types are the JUnit format. Source: junit-10.xsd of github.com/jenkinsci/xunit-plugin.
type (
	suites struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []suite  `xml:"testsuite"`
	}
	suite struct {
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Cases    []testcase `xml:"testcase"`
	}
	testcase struct {
		Name      string   `xml:"name,attr"`
		Classname string   `xml:"classname,attr"`
		Failure   *failure `xml:"failure"`
		Error     *failure `xml:"error"`
		Skipped   *failure `xml:"skipped"`
	}
	failure struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// add adds a comparison to a failure, an error or the reason for skipping a case.
func add(to **failure, j *judged) {
	if *to == nil {
		*to = &failure{Type: j.rule(), Message: message.Visible(j.Statement)}
	}
	(*to).Text = strings.TrimPrefix((*to).Text+"\n"+message.Visible(j.Statement), "\n")
}

// writeJUnit writes a suite for each verdict, and a case for each script and scenario. A regression is a failure, with
// the difference as its text. What could not be judged is an error, and what was not judged is skipped.
func writeJUnit(w io.Writer, d *result.Document, verdicts []result.Verdict) error {
	var all suites
	for i := range verdicts {
		v := &verdicts[i]
		s := suite{Name: message.Visible(string(d.Command) + " " + v.Head)}
		for j := range cases(v) {
			class := message.Visible(cmp.Or(j.Script, j.Limiter, v.Head))
			c := s.find(class, message.Visible(cmp.Or(j.Where, j.gate)))
			switch j.Outcome {
			case result.Regression:
				add(&c.Failure, &j)
			case result.Inconclusive:
				add(&c.Error, &j)
			case result.Noted:
				if j.Measure == j.gate { // the gate was left out
					add(&c.Skipped, &j)
				}
			}
		}
		for _, c := range s.Cases {
			s.Tests++
			for n, of := range map[*int]*failure{&s.Failures: c.Failure, &s.Errors: c.Error, &s.Skipped: c.Skipped} {
				if of != nil {
					*n++
				}
			}
		}
		all.Suites = append(all.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// find returns the case with these names, and adds it if it is missing.
func (s *suite) find(class, name string) *testcase {
	for i := range s.Cases {
		if c := &s.Cases[i]; c.Classname == class && c.Name == name {
			return c
		}
	}
	s.Cases = append(s.Cases, testcase{Name: name, Classname: class})
	return &s.Cases[len(s.Cases)-1]
}
