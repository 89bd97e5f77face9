package main

import (
	"strings"

	"github.com/spf13/cobra"

	"ratelab/internal/report"
	"ratelab/scenarios"
)

// schema prints the JSON Schemas of what the program reads and writes.
func (a *app) schema() *cobra.Command {
	schemas := map[string]func() []byte{"scenario": scenarios.Schema, "result": report.ResultSchema}
	return &cobra.Command{
		Use:       "schema [scenario|result]",
		Short:     "Print the JSON Schema of scenario files (the default) or of the JSON result",
		ValidArgs: []string{"scenario", "result"},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && schemas[args[0]] == nil {
				return usage("schema %s: want scenario or result", strings.Join(args, " "))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			name := "scenario"
			if len(args) == 1 {
				name = args[0]
			}
			_, err := a.stdout.Write(schemas[name]())
			return err
		},
	}
}
