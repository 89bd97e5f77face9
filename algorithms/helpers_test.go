package algorithms

import (
	"testing"

	"ratelab/internal/limit"
)

func instanceOf(t testing.TB, label string, p limit.Policy) Rule {
	t.Helper()
	choice, err := Parse(label)
	if err != nil {
		t.Fatal(err)
	}
	in, err := choice.Under(p)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func modelOf(t testing.TB, label string, p limit.Policy) limit.Model {
	t.Helper()
	return instanceOf(t, label, p).NewModel()
}

func policy(t testing.TB, text string) limit.Policy {
	t.Helper()
	p, err := limit.ParsePolicy(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
