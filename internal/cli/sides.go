package cli

import (
	"github.com/spf13/cobra"

	"ratelab/algorithms"
)

// Sides are the flags of what is compared.
type Sides struct{ Base, Head, As string }

// Register adds the flags to c.
func (s *Sides) Register(c *cobra.Command) {
	c.Flags().StringVar(&s.Base, "base", "", "the old `SIDE`: a script or an algorithm")
	c.Flags().StringVar(&s.Head, "head", "", "the new `SIDE`")
	c.Flags().StringVar(&s.As, "as", "", "call scripts without a binding as the algorithm `LABEL` is called")
	c.MarkFlagRequired("base")
	c.MarkFlagRequired("head")
	Complete(c, "as", algorithms.Names())
}
