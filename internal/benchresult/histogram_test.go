package benchresult

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
	edited := strings.Replace(string(data), `"p50_us":131`, `"p50_us":13`, 1)
	if err := json.Unmarshal([]byte(edited), new(Histogram)); err == nil {
		t.Error("an edited percentile was taken")
	}
}
