package report

import (
	"bufio"
	"io"
	"os"

	"ratelab/internal/atomicfile"
	"ratelab/internal/limit"
)

// Decisions collects one row for each decision. The rows of a scenario decide at the same time; each writes into a file
// of its own, and the files are joined in the order of the rows, so that the output is the same on every run.
type Decisions struct {
	out      io.Writer
	dir      string
	scenario string
	spools   []*spool
	headed   bool
}

type spool struct {
	file   *os.File
	writer *DecisionWriter
}

// NewDecisions writes to out, by way of temporary files in dir.
func NewDecisions(out io.Writer, dir string) *Decisions { return &Decisions{out: out, dir: dir} }

// Watch gives a row its file, and what writes its decisions there, batch by batch.
func (d *Decisions) Watch(scenario, label string) (func([]limit.Request, []limit.Decision) error, error) {
	if scenario != d.scenario {
		if err := d.Join(); err != nil {
			return nil, err
		}
		d.scenario = scenario
	}
	file, err := atomicfile.Temp(d.dir)
	if err != nil {
		return nil, err
	}
	s := &spool{file, NewDecisionWriter(file)}
	d.spools = append(d.spools, s)
	return func(requests []limit.Request, decisions []limit.Decision) error {
		for i, q := range requests {
			if err := s.writer.Write(scenario, label, q, decisions[i]); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// Join appends the rows' files to the output, in order, and removes them.
func (d *Decisions) Join() error {
	for len(d.spools) > 0 {
		if err := d.join(d.spools[0]); err != nil {
			return err
		}
		d.discard()
	}
	return nil
}

// join copies one row's file, whose header is wanted once.
func (d *Decisions) join(s *spool) error {
	if err := s.writer.Flush(); err != nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	rows := bufio.NewReaderSize(s.file, 1<<16)
	if d.headed {
		if _, err := rows.ReadString('\n'); err != nil {
			return err
		}
	}
	d.headed = true
	_, err := rows.WriteTo(d.out)
	return err
}

// discard removes the first file.
func (d *Decisions) discard() {
	file := d.spools[0].file
	file.Close()
	os.Remove(file.Name())
	d.spools = d.spools[1:]
}

// Discard removes what a failed run has left behind.
func (d *Decisions) Discard() {
	for len(d.spools) > 0 {
		d.discard()
	}
}
