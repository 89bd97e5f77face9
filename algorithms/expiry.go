package algorithms

// When Redis drops what a script has written: the last ms at which the server's clock still shows it. Each algorithm's
// script says why its keys live so long.

// afterUS is the end of a key that is written now and matters for lifeUS. Where clients say what time it is, it lives
// a second longer, because their clocks may be behind.
func (m *moment) afterUS(lifeUS int64) int64 {
	if m.clock.client {
		return m.nowMS + ceilDiv(lifeUS, 1000) + 1000
	}
	return m.nowMS + ceilDiv(lifeUS, 1000)
}

// bucketMS is the end of a bucket's state that is written now: by the server's time a whole number of seconds from
// now, so that it outlives the second in which the bucket will be full, at fullUS.
func (m *moment) bucketMS(fullUS, resetUS int64) int64 {
	if m.clock.client {
		return m.afterUS(resetUS)
	}
	return m.nowMS + (floorDiv(fullUS, secondUS)+1-floorDiv(m.nowUS, secondUS))*1000
}

// keptMS is the end of a state that replaces another one: by the server's time that one's own, oldMS, where the bucket
// will be full within the same second as before; else newMS.
func (c clock) keptMS(oldFullUS, oldMS, fullUS, newMS int64) int64 {
	if !c.client && floorDiv(fullUS, secondUS) == floorDiv(oldFullUS, secondUS) {
		return oldMS
	}
	return newMS
}

const secondUS = 1_000_000
