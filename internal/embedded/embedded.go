// Package embedded is the server inside the process: miniredis, with an EVAL of our own around its commands.
//
// miniredis makes two buffers of 4 KB for each redis.call, which is a third of what a decision costs there. Here a
// server has them once. A script sees what it sees on miniredis, and is told the same; the tests ask both.
package embedded

import (
	"errors"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// New is a server whose clock is stopped at the virtual midnight. Virtual time never asks it, and a script that gets
// past the prelude sees a clock that stands still rather than one that makes runs differ. It is reached by Dial.
func New() (*miniredis.Miniredis, error) {
	m := miniredis.NewMiniRedis()
	m.SetTime(time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC))
	conn, err := m.Dial() // starts it
	if err != nil {
		return nil, err
	}
	if err := errors.Join(conn.Close(), serveScripts(m)); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}
