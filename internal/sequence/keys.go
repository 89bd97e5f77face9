package sequence

// What a sequence's clients have left on the server is found again by sending their commands to an empty Store: a
// deadline that nobody has looked at yet deletes nothing there.

// Finish lets the worker, where there is one, take what is due by endUS since the start. Nothing arrives after it.
func (p *Play) Finish(endUS int64) error {
	if !p.choice.Spec.worker {
		return nil
	}
	return p.work(endUS, p.skewUS)
}

// Left counts the keys alive at atUS since the start, and those of them that would stay for ever.
func (p *Play) Left(atUS int64) (keys, withoutTTL int64) {
	p.again([]int64{atUS}, func(k, w int64) { keys, withoutTTL = k, w })
	return keys, withoutTTL
}

// Keys counts the keys alive at the end of each of so many buckets of that width, from the start on.
func (p *Play) Keys(bucketUS int64, buckets int) []int64 {
	ends := make([]int64, buckets)
	for i := range ends {
		ends[i] = int64(i+1)*bucketUS - 1 // the next microsecond is in the next bucket
	}
	counts := make([]int64, 0, buckets)
	p.again(ends, func(keys, _ int64) { counts = append(counts, keys) })
	return counts
}

// again goes through all commands, and says at each of some ascending times since the start what is alive once all are
// done that came until then. The server's clock is as far off as at the last of them.
func (p *Play) again(times []int64, alive func(keys, withoutTTL int64)) {
	store, done, skewUS := NewStore(), 0, int64(0)
	for _, atUS := range times {
		for ; done < len(p.calls) && p.calls[done].TrueUS <= atUS; done++ {
			c := p.calls[done]
			if _, err := store.Do(c.AtUS, c.Command); err != nil {
				panic(err) // the first time there was none
			}
			skewUS = c.AtUS - p.startUS - c.TrueUS
		}
		alive(store.Left(p.startUS + atUS + skewUS))
	}
}
