package simulate

import (
	"bufio"
	"io"
	"os"

	"ratelab/internal/atomicfile"
	"ratelab/internal/limit"
	"ratelab/internal/report"
)

// Decisions collects one row for each decision. The lanes decide at the same time; each writes into a file of its
// own, and the files are joined in the order of the rows, so that the output is the same on every run.
type Decisions struct {
	out    io.Writer
	dir    string
	spools []*spool
	headed bool
}

type spool struct {
	file   *os.File
	writer *report.DecisionWriter
}

// NewDecisions writes to out, by way of temporary files in dir.
func NewDecisions(out io.Writer, dir string) *Decisions { return &Decisions{out: out, dir: dir} }

// begin gives every lane its file. On nil it does nothing, as end.
func (d *Decisions) begin(scenario string, lanes []*lane) error {
	if d == nil {
		return nil
	}
	for _, l := range lanes {
		file, err := atomicfile.Temp(d.dir)
		if err != nil {
			return err
		}
		s := &spool{file, report.NewDecisionWriter(file)}
		d.spools = append(d.spools, s)
		l.observers = append(l.observers, s.observer(scenario, l.entry.Label))
	}
	return nil
}

// observer writes a row for each decision.
func (s *spool) observer(scenario, label string) observer {
	return func(requests []limit.Request, decisions []limit.Decision) error {
		for i, q := range requests {
			if err := s.writer.Write(scenario, label, q, decisions[i]); err != nil {
				return err
			}
		}
		return nil
	}
}

// end appends the lanes' files to the output, in order, and removes them.
func (d *Decisions) end() error {
	if d == nil {
		return nil
	}
	for len(d.spools) > 0 {
		if err := d.join(d.spools[0]); err != nil {
			return err
		}
		d.discard(1)
	}
	return nil
}

// join copies one lane's file, whose header is wanted once.
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

// discard removes the first n files that have not been joined; all of them where there are fewer.
func (d *Decisions) discard(n int) {
	for ; n > 0 && len(d.spools) > 0; n-- {
		file := d.spools[0].file
		file.Close()
		os.Remove(file.Name())
		d.spools = d.spools[1:]
	}
}

// Discard removes what a failed run has left behind.
func (d *Decisions) Discard() { d.discard(len(d.spools)) }
