package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"ratelab/internal/commandline"
	"ratelab/internal/message"
	"ratelab/internal/scenario"
)

// validate reads scenario files, their traces and labels included, and decides nothing.
func (a *app) validate() *cobra.Command {
	return &cobra.Command{
		Use:   "validate FILE …",
		Short: "Check scenario files: every error at once, with line and column",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return commandline.Usage("validate: want at least one scenario file")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var problems []error
			for _, file := range args {
				if err := a.validateOne(file); err != nil {
					problems = append(problems, err)
					continue
				}
				if err := commandline.Println(a.Stdout, message.Path(file)+": ok"); err != nil {
					return err
				}
			}
			if len(problems) > 0 {
				return commandline.Exit(commandline.ExitUsage, errors.Join(problems...))
			}
			return nil
		},
	}
}

func (a *app) validateOne(file string) error {
	s, err := scenario.Load(file)
	if err != nil {
		return err
	}
	if err := a.newJob([]*scenario.Scenario{s}).Check(); err != nil {
		return err
	}
	for _, err := range s.Stream(s.Seed).Requests() {
		if err != nil {
			return errors.New(file + ": " + strings.ReplaceAll(err.Error(), "\n", "\n"+file+": "))
		}
	}
	return nil
}
