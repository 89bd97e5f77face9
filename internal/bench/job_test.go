package bench

import "testing"

func TestRecordingAddsUp(t *testing.T) {
	runJob(t, tiny(t, "gcra", "sliding-window-log", "token-bucket-interval"))
}
