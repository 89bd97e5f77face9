package result

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The range and precision of all histograms. The code that records values counts those outside the range as overflow.
const (
	LowestUS          = 1
	HighestUS         = 60_000_000
	SignificantDigits = 3
)

// Histogram is a HdrHistogram of durations in µs. In JSON it is the encoded histogram (V2, compressed, base64), plus
// the usual percentiles for people. Only the encoded histogram is read back.
type Histogram struct {
	*hdrhistogram.Histogram
}

// NewHistogram returns an empty histogram.
func NewHistogram() *Histogram {
	return &Histogram{hdrhistogram.New(LowestUS, HighestUS, SignificantDigits)}
}

// Count returns the number of values in h. An absent histogram is empty.
func (h *Histogram) Count() int64 {
	if h == nil || h.Histogram == nil {
		return 0
	}
	return h.TotalCount()
}

// orEmpty returns h, or an empty histogram if h is absent.
func (h *Histogram) orEmpty() *Histogram {
	if h == nil || h.Histogram == nil {
		return NewHistogram()
	}
	return h
}

// Summary is a Histogram in JSON.
type Summary struct {
	Count   int64   `json:"count"`
	MinUS   int64   `json:"min_us"`
	MeanUS  float64 `json:"mean_us"`
	P50US   int64   `json:"p50_us"`
	P90US   int64   `json:"p90_us"`
	P99US   int64   `json:"p99_us"`
	P999US  int64   `json:"p99_9_us"`
	P9999US int64   `json:"p99_99_us"`
	MaxUS   int64   `json:"max_us"`
	HDR     string  `json:"hdr_v2" jsonschema:"pattern=^HISTFAAA"`
}

// MarshalJSON implements json.Marshaler.
func (h *Histogram) MarshalJSON() ([]byte, error) {
	encoded, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return nil, err
	}
	s := Summary{Count: h.TotalCount(), HDR: string(encoded)}
	if s.Count > 0 {
		s.MinUS, s.MaxUS, s.MeanUS = h.Min(), h.Max(), h.Mean()
		s.P50US, s.P90US, s.P99US = h.ValueAtPercentile(50), h.ValueAtPercentile(90), h.ValueAtPercentile(99)
		s.P999US, s.P9999US = h.ValueAtPercentile(99.9), h.ValueAtPercentile(99.99)
	}
	return json.Marshal(s)
}

// UnmarshalJSON implements json.Unmarshaler. It returns an error if the histogram cannot be decoded.
func (h *Histogram) UnmarshalJSON(data []byte) error {
	var written Summary
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&written); err != nil {
		return err
	}
	decoded, err := hdrhistogram.Decode([]byte(written.HDR))
	if err != nil {
		return fmt.Errorf("hdr_v2: %w", err)
	}
	h.Histogram = decoded
	return nil
}
