package limit

import (
	"errors"
	"slices"

	"ratelab/internal/message"
)

// Contract is the meaning of a limit: how much it allows in an interval. The user chooses the contract.
type Contract int

// The contracts of L requests per window W with a burst B.
const (
	ByWindow Contract = iota // at most L in every half-open interval of length W
	ByBucket                 // at most B + L·τ/W in every interval of length τ
	ByFlight                 // at most L requests at once; there is no window
)

// contracts are the names of the contracts in files and on command lines.
var contracts = []string{"window", "bucket"}

const inFlight = "in_flight"

// Contracts returns the names of the contracts of a window, the default first.
func Contracts() []string { return contracts }

// String returns the contract's name.
func (c Contract) String() string {
	if c == ByFlight {
		return inFlight
	}
	return contracts[c]
}

// ParseContract returns the contract with that name.
func ParseContract(name string) (Contract, error) {
	i := slices.Index(contracts, name)
	if i < 0 {
		return 0, errors.New(message.OneOf(name, contracts))
	}
	return Contract(i), nil
}

// MarshalText returns the contract's name.
func (c Contract) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads a contract's name.
func (c *Contract) UnmarshalText(text []byte) (err error) {
	if string(text) == inFlight {
		*c = ByFlight
		return nil
	}
	*c, err = ParseContract(string(text))
	return err
}
