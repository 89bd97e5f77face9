package load

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"
)

// A server that does not answer for a while is reported once. One that closes the connection ends the vigil.
func TestVigilReportsSilence(t *testing.T) {
	bubble(t, 0, func(t *testing.T, clock Stopwatch) {
		near, far := net.Pipe()
		var delay atomic.Int64
		go func() {
			for command := make([]byte, 100); ; {
				if _, err := far.Read(command); err != nil {
					return
				}
				time.Sleep(time.Duration(delay.Load()))
				_, _ = io.WriteString(far, "+PONG\r\n")
			}
		}()
		v, err := KeepVigil(t.Context(), func(context.Context) (net.Conn, error) { return near, nil }, clock)
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		wants := func(when string, want time.Duration) {
			time.Sleep(10 * MostSilence)
			if got := v.Silence(); got != want {
				t.Errorf("%s: a silence of %v; want %v", when, got, want)
			}
		}
		delay.Store(int64(MostSilence))
		wants("at the most that is none", 0)
		delay.Store(int64(4 * MostSilence))
		time.Sleep(2 * MostSilence) // one PING meets the delay
		delay.Store(0)
		wants("after it", 4*MostSilence)
		wants("when it was told", 0)
		far.Close()
		wants("after the end", 0)
	})
}
