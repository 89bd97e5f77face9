package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/message"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

// validate returns the command that reads scenario files, with their traces and labels, without deciding anything.
func (a *app) validate() *cobra.Command {
	return &cobra.Command{
		Use:   "validate FILE …",
		Short: "Check scenario files: every error at once, with line and column",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var problems []error
			for _, file := range args {
				if err := a.validateOne(file); err != nil {
					problems = append(problems, cli.Exit(cli.ExitUsage, err))
				} else {
					fmt.Fprintln(a.Stdout, message.Path(file)+": ok")
				}
			}
			return errors.Join(problems...)
		},
	}
}

func (a *app) validateOne(file string) error {
	s, err := scenario.Load(file)
	if err != nil {
		return err
	}
	if _, err := newJob([]*scenario.Scenario{s}, run.ModelServer, false).Plans(); err != nil {
		return err
	}
	for _, err := range s.Stream(s.Seed).Requests() {
		if err != nil {
			return errors.New(file + ": " + strings.ReplaceAll(err.Error(), "\n", "\n"+file+": "))
		}
	}
	return nil
}
