package serverstats

import (
	"maps"
)

// Delta is what a server did between two readings. Figures of the readings themselves are left out as far as they
// can be told: the one INFO before, whose answer is sent and counted after it is made, and the bytes of both.
// Whoever else reads meanwhile is counted in the bytes and in CPU, but not in EvalCalls.
type Delta struct {
	Known bool // false: a reading was not, or the server restarted or lost its counts meanwhile; all else is zero

	Commands map[string]CommandDelta // those that were called, by lower-case name; "info" is the readings' own

	// EvalCalls are the calls of scripts: EVALSHA, EVAL and their read-only forms, with or without success. EvalUsec
	// is the time that the server spent in them.
	//
	// A script's time includes that of the commands which it calls: 20 scripts with two cheap commands each and one
	// that calls LRANGE three times for 650,633 µs took 663,576 µs of EVALSHA together, on Redis 7.0.15; 8.0.2 and
	// Valkey 8.1.1 nest the same way. So nothing must be added to it. It includes neither reading the request nor
	// writing the reply, which CPU seconds do.
	EvalCalls, EvalUsec int64

	NetInBytes, NetOutBytes  int64 // without those of the readings
	EvictedKeys, ExpiredKeys int64
	ErrorReplies             int64
	ConnectionsReceived      int64
	ConnectionsRejected      int64
	CPUUserSec, CPUSysSec    float64
	UsedMemoryBytes          int64 // grown by so much; negative where it shrank
}

// Since is what happened between before and after.
func (after Snapshot) Since(before Snapshot) Delta {
	if !after.Known || !before.Known || after.RunID != before.RunID || after.lost(before) {
		return Delta{}
	}
	d := Delta{
		Known:               true,
		Commands:            map[string]CommandDelta{},
		NetInBytes:          after.NetInBytes - before.NetInBytes - after.askedBytes,
		NetOutBytes:         after.NetOutBytes - before.NetOutBytes - before.answeredBytes,
		EvictedKeys:         after.EvictedKeys - before.EvictedKeys,
		ExpiredKeys:         after.ExpiredKeys - before.ExpiredKeys,
		ErrorReplies:        after.ErrorReplies - before.ErrorReplies,
		ConnectionsReceived: after.ConnectionsReceived - before.ConnectionsReceived,
		ConnectionsRejected: after.ConnectionsRejected - before.ConnectionsRejected,
		CPUUserSec:          after.CPUUserSec - before.CPUUserSec,
		CPUSysSec:           after.CPUSysSec - before.CPUSysSec,
		UsedMemoryBytes:     after.UsedMemoryBytes - before.UsedMemoryBytes,
	}
	for name, c := range after.Commands {
		if c = c.minus(before.Commands[name]); c != (CommandDelta{}) {
			d.Commands[name] = c
		}
	}
	for _, name := range scriptCalls {
		d.EvalCalls += d.Commands[name].Calls
		d.EvalUsec += d.Commands[name].Usec
	}
	return d
}

// Add joins what the server did in another span. It is known only where both are; the zero Delta is no span at all.
func (d *Delta) Add(o Delta) {
	if d.Commands == nil && !d.Known {
		*d = o
		d.Commands = map[string]CommandDelta{}
		maps.Copy(d.Commands, o.Commands)
		return
	}
	if !d.Known || !o.Known {
		*d = Delta{Commands: map[string]CommandDelta{}}
		return
	}
	for name, c := range o.Commands {
		d.Commands[name] = d.Commands[name].minus(CommandDelta{-c.Calls, -c.Usec, -c.RejectedCalls, -c.FailedCalls})
	}
	d.EvalCalls += o.EvalCalls
	d.EvalUsec += o.EvalUsec
	d.NetInBytes += o.NetInBytes
	d.NetOutBytes += o.NetOutBytes
	d.EvictedKeys += o.EvictedKeys
	d.ExpiredKeys += o.ExpiredKeys
	d.ErrorReplies += o.ErrorReplies
	d.ConnectionsReceived += o.ConnectionsReceived
	d.ConnectionsRejected += o.ConnectionsRejected
	d.CPUUserSec += o.CPUUserSec
	d.CPUSysSec += o.CPUSysSec
	d.UsedMemoryBytes += o.UsedMemoryBytes
}

// lost reports whether counts went back since before, as after CONFIG RESETSTAT: what remains is of a shorter span.
func (after Snapshot) lost(before Snapshot) bool {
	for name, c := range before.Commands {
		if after.Commands[name].Calls < c.Calls {
			return true
		}
	}
	return after.NetInBytes < before.NetInBytes || after.ConnectionsReceived < before.ConnectionsReceived
}

func (c CommandDelta) minus(o CommandDelta) CommandDelta {
	return CommandDelta{c.Calls - o.Calls, c.Usec - o.Usec, c.RejectedCalls - o.RejectedCalls,
		c.FailedCalls - o.FailedCalls}
}

// scriptCalls are the commands that run a script.
var scriptCalls = []string{"evalsha", "eval", "evalsha_ro", "eval_ro"}

// UsecPerDecision is the server's time in a script, in µs per call, parts of it included; 0 where none was called.
func (d Delta) UsecPerDecision() float64 {
	if d.EvalCalls == 0 {
		return 0
	}
	return float64(d.EvalUsec) / float64(d.EvalCalls)
}
