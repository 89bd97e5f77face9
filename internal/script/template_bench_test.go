package script

import "testing"

// What an element of KEYS or ARGV costs for each request, and for each request but the first of a batch.
func BenchmarkTemplates(b *testing.B) {
	for _, text := range []string{"rl:{key}", "{limit}", "{cost}", "{now_us}", "{now_ms}", "{now_us / 1e6}",
		"{now_ms // window_ms}"} {
		t, err := ParseTemplate(text, constantsOf(threeSeconds))
		if err != nil {
			continue
		}
		b.Run("append/"+text, func(b *testing.B) {
			var dst []byte
			for i := range b.N {
				dst = t.Append(dst[:0], &Vars{Key: "key-12345678", Cost: 1, NowUS: noon.NowUS + int64(i)})
			}
		})
		b.Run("same/"+text, func(b *testing.B) {
			v := Vars{Key: "key-12345678", Cost: 1, NowUS: noon.NowUS}
			for b.Loop() {
				_ = t.Same(noon, v)
			}
		})
	}
}
