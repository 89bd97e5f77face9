package result

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestHistogramComesBackFromJSON(t *testing.T) {
	h := NewHistogram()
	for _, us := range []int64{1, 130, 131, 131, 9_999, 60_000_000} {
		if err := h.RecordValue(us); err != nil {
			t.Fatal(err)
		}
	}
	data, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	var back Histogram
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if !back.Equals(h.Histogram) {
		t.Errorf("came back otherwise: %v, was %v", back.Distribution(), h.Distribution())
	}
	if !strings.Contains(string(data), `"p50_us":131,`) {
		t.Errorf("no percentiles for people: %s", data)
	}
}
