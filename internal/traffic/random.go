package traffic

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Random is the random stream of one purpose (arrivals, keys, cost, …) in one phase, or of whatever else has a name.
// Streams with different seeds, names or purposes have nothing to do with one another, so that adding a phase, or
// giving one another cost distribution, moves no arrival elsewhere. The fields are length-prefixed: ("a", "bc") is not
// ("ab", "c").
func Random(seed uint64, name, purpose string) *rand.Rand {
	b := binary.LittleEndian.AppendUint64(nil, seed)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(name)))
	b = append(append(b, name...), purpose...)
	sum := sha256.Sum256(b)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16])))
}
