package sequence

// Finish lets the worker, where there is one, take what is due by endUS since the start. Nothing arrives after it.
func (p *Play) Finish(endUS int64) error {
	if !p.choice.Spec.worker {
		return nil
	}
	return p.work(endUS, p.skewUS)
}

// Left counts the keys that all commands together have left, as far as they are alive at atUS since the start, and
// those of them that would stay for ever. A PEXPIRE that is still on its way then is taken as done.
func (p *Play) Left(atUS int64) (keys, withoutTTL int64) { return p.store.Left(p.startUS + atUS) }

// Keys counts the keys alive at the end of each of so many buckets of that width, from the start on: it sends all
// commands again, to an empty Store.
func (p *Play) Keys(bucketUS int64, buckets int) []int64 {
	counts := make([]int64, buckets)
	store, done, skewUS := NewStore(), 0, int64(0)
	for i := range counts {
		endUS := int64(i+1)*bucketUS - 1 // the next microsecond is in the next bucket
		for ; done < len(p.calls) && p.calls[done].TrueUS <= endUS; done++ {
			c := p.calls[done]
			if _, err := store.Do(c.AtUS, c.Command); err != nil {
				panic(err) // the first time there was none
			}
			skewUS = c.AtUS - p.startUS - c.TrueUS // what the server's clock was off by at last
		}
		counts[i], _ = store.Left(p.startUS + endUS + skewUS)
	}
	return counts
}
