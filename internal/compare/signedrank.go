package compare

import (
	"math"
	"slices"
)

// exactMost is how many differences the signed-rank test enumerates exactly; above it the normal approximation is
// good to four digits.
const exactMost = 100

// signedRank is the Wilcoxon signed-rank test of paired differences. Above is the probability that differences of the
// same sizes, each with a sign tossed by a coin, lie as far above zero as these or further; below is the same for the
// other side. Both are 1 where no difference is left.
//
// Equal sizes share their mean rank. Zeros are ranked with the rest and then left out (Pratt): they count as evidence
// of sameness, where leaving them out at once would strengthen the others. Given the sizes the distribution is exact,
// ties and zeros or not, up to exactMost.
// Sources: Wilcoxon, Individual comparisons by ranking methods, 1945; Pratt, Remarks on zeros and ties in the Wilcoxon
// signed rank procedures, 1959.
func signedRank(differences []float64) (above, below float64) {
	ranks, plus, minus := doubledRanks(differences)
	switch {
	case len(ranks) == 0:
		return 1, 1
	case len(differences) > exactMost:
		return normalTail(ranks, plus), normalTail(ranks, minus)
	}
	return exactTail(ranks, plus), exactTail(ranks, minus)
}

// sameSize is the step within which two differences of logarithms are the same size: rounding, not measurement.
const sameSize = 1e-12

// doubledRanks are twice the ranks of what is not zero, so that shared ranks are whole, and their sums by sign.
func doubledRanks(differences []float64) (ranks []int, plus, minus int) {
	steps := make([]int64, len(differences))
	for i, d := range differences {
		steps[i] = int64(math.Round(d / sameSize))
	}
	slices.SortFunc(steps, func(a, b int64) int { return int(min(max(abs(a)-abs(b), -1), 1)) })
	for from := 0; from < len(steps); {
		to := from
		for to < len(steps) && abs(steps[to]) == abs(steps[from]) {
			to++
		}
		for _, step := range steps[from:to] {
			rank := from + 1 + to // twice the mean of from+1 … to
			switch {
			case step > 0:
				plus += rank
			case step < 0:
				minus += rank
			default:
				continue
			}
			ranks = append(ranks, rank)
		}
		from = to
	}
	return ranks, plus, minus
}

func abs(n int64) int64 { return max(n, -n) }

// exactTail is P(sum >= observed), where each rank is in the sum or not with equal probability.
func exactTail(ranks []int, observed int) float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	probability := make([]float64, total+1) // by sum
	probability[0] = 1
	reached := 0
	for _, r := range ranks {
		reached += r
		for sum := reached; sum >= 0; sum-- {
			with := 0.0
			if sum >= r {
				with = probability[sum-r]
			}
			probability[sum] = (probability[sum] + with) / 2
		}
	}
	var tail float64
	for _, p := range probability[observed:] {
		tail += p
	}
	return min(tail, 1)
}

// normalTail is exactTail with the normal distribution of the same mean and variance, and half a rank of continuity.
func normalTail(ranks []int, observed int) float64 {
	var total, squares float64
	for _, r := range ranks {
		total += float64(r)
		squares += float64(r) * float64(r)
	}
	z := (float64(observed) - 1 - total/2) / math.Sqrt(squares/4)
	return math.Erfc(z/math.Sqrt2) / 2
}

// holm corrects the p-values of comparisons made at once: the smallest is multiplied by their number, the next by one
// less, and none becomes smaller than the one before it.
// Source: Holm, A simple sequentially rejective multiple test procedure, 1979.
func holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	corrected := make([]float64, len(p))
	least := 0.0
	for done, i := range order {
		least = max(least, min(1, float64(len(p)-done)*p[i]))
		corrected[i] = least
	}
	return corrected
}
