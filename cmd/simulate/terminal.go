package main

import (
	"fmt"
	"os"

	"golang.org/x/term"

	"ratelab/internal/report"
)

// tableOptions fit the table to a terminal; a pipe gets no colour and no bound.
func (a *app) tableOptions() report.TableOptions {
	if !isTerminal(a.stdout) {
		return report.TableOptions{}
	}
	width, _, err := term.GetSize(int(a.stdout.(*os.File).Fd()))
	if err != nil {
		width = 0
	}
	_, plain := os.LookupEnv("NO_COLOR")
	return report.TableOptions{Color: !plain, Width: width}
}

func description(name string, number, of int) string {
	if of == 1 {
		return name
	}
	return fmt.Sprintf("%d/%d %s", number, of, name)
}
