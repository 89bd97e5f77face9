package worst

// peak is the most that was admitted in any half-open interval (t − w, t] of w = widthUS.
func peak(all []admission, widthUS int64) int64 {
	most, _, _ := highest(all, widthUS)
	return most
}

// highest is the peak, and which of the admissions are in the first interval that has it: from, and before to.
func highest(all []admission, widthUS int64) (most int64, from, to int) {
	var sum int64
	first := 0
	for i, a := range all {
		sum += a.cost * a.count
		for all[first].atUS <= a.atUS-widthUS {
			sum -= all[first].cost * all[first].count
			first++
		}
		if sum > most {
			most, from, to = sum, first, i+1
		}
	}
	return most, from, to
}
