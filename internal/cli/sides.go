package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ratelab/algorithms"
	"ratelab/internal/limiter"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/script"
)

// Sides are the flags for the two sides of a comparison.
type Sides struct{ Base, Head, As string }

// Register adds the flags to c.
func (s *Sides) Register(c *cobra.Command) {
	c.Flags().StringVar(&s.Base, "base", "", "the old `SIDE`: a script or an algorithm")
	c.Flags().StringVar(&s.Head, "head", "", "the new `SIDE`")
	c.Flags().StringVar(&s.As, "as", "", "call scripts without a binding as the algorithm `LABEL`")
	c.MarkFlagRequired("base")
	c.MarkFlagRequired("head")
	Complete(c, "as", algorithms.Names())
}

// Limiters returns the limiters that the flags name, base first.
func (s *Sides) Limiters() (both [2]*limiter.Spec, err error) {
	var wrong [2]error
	for i, name := range []string{s.Base, s.Head} {
		flag := []string{"--base", "--head"}[i]
		if !limiter.IsScript(name) && !limiter.IsAlgorithm(name) {
			wrong[i] = fmt.Errorf("%s %s: neither a script (a file that ends in .lua) nor an algorithm; %s", flag,
				redis.Repeat(name), message.OneOf(name, algorithms.Names()))
			continue
		}
		if both[i], err = limiter.SpecOf(script.OnDisk(name), s.As); err != nil {
			wrong[i] = fmt.Errorf("%s: %w", flag, err)
		}
	}
	if err := errors.Join(wrong[:]...); err != nil {
		return both, Exit(ExitUsage, err)
	}
	return both, nil
}
