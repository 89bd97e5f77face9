package accesslog

// blockSize is about how many bytes are read and parsed at once. Nothing but speed depends on it, as a test shows.
var blockSize = 64 << 10

// block is a piece of a file, and what its lines say.
type block struct {
	records
	*fields       // how they are read
	file          *traceFile
	buffer        []byte        // the data's
	entries       []entry       // one a line, but for blank ones and comments
	errs          []error       // of the lines that are bad, in order
	taken, parsed chan struct{} // closed when it is
}

// blocks are read one after the other, and parsed on all processors.
type blocks struct {
	now   *block        // the block whose lines come next, from place on
	place int           // in now
	ahead []*block      // those that follow it: several once a block has told how times are written
	last  chan struct{} // closed when the last of them is taken
}

// line gives the next line, in the order of the file. After the last the error is that of takeRecord.
func (f *traceFile) line() (*entry, error) {
	for ; f.now == nil || f.place == len(f.now.entries); f.advance() {
		if f.now != nil && f.now.ended != nil {
			return nil, f.now.ended
		}
	}
	f.place++
	return &f.now.entries[f.place-1], nil
}

// advance goes on to the next block.
func (f *traceFile) advance() {
	free := f.now
	for ; len(f.ahead) == 0 || f.stamps.text != nil && f.shared.spare > 0; f.shared.spare-- {
		if free == nil {
			free = &block{fields: f.reader(), file: f}
		}
		f.start(free)
		free = nil
	}
	f.now, f.ahead, f.place = f.ahead[0], f.ahead[1:], 0
	f.shared.spare++
	<-f.now.parsed
	if f.stamps.text == nil {
		f.stamps = f.now.stamps
	}
}

// start reads and parses the block that follows those ahead.
func (f *traceFile) start(b *block) {
	before := f.last
	b.taken, b.parsed = make(chan struct{}), make(chan struct{})
	f.last, f.ahead = b.taken, append(f.ahead, b)
	go func() {
		if before != nil {
			<-before
		}
		b.records = f.text.take(b.buffer)
		b.buffer = b.data
		close(b.taken)
		b.parse()
		close(b.parsed)
	}()
}

// drop lets go of all blocks, when nothing reads on any more.
func (f *traceFile) drop() {
	for _, b := range f.ahead {
		<-b.parsed
	}
	f.shared.spare += len(f.ahead)
	f.blocks = blocks{}
}

// parse reads the lines.
func (b *block) parse() {
	b.entries, b.errs, b.firsts = b.entries[:0], nil, [noted]string{}
	for {
		line, err := b.takeRecord()
		if line == nil {
			b.ended = err
			return
		}
		e := entry{at: -1, file: b.file, line: b.number}
		b.marks = 0
		switch err = b.read(line, &e); {
		case err == errComment, b.number <= 0: // the head of a Piece
			continue
		case err != nil:
			b.mark(bad, nil)
			b.errs = append(b.errs, b.records.at(err))
		case b.skip != "" && e.key == b.skip:
			b.mark(skipped, []byte(b.skip))
		case e.key == "-":
			b.mark(dash, nil)
		}
		if b.lines > b.number {
			b.mark(goesOn, nil)
		}
		if b.cutOff {
			b.mark(cutOff, nil)
		}
		e.marks = b.marks
		b.entries = append(b.entries, e)
	}
}

// read reads the request of a line.
func (r *fields) read(line []byte, e *entry) (err error) {
	before, err := r.cut(line)
	if err != nil {
		return err
	}
	if !r.lets() {
		return nil
	}
	if before != nil {
		r.mark(prefixed, before)
	}
	at, err := r.stamp()
	if err != nil {
		return err
	}
	e.at, e.whole = at.us, at.whole
	key, err := r.key()
	if err != nil {
		return err
	}
	if r.expects && string(key) != "-" && !isAddress(key) {
		r.mark(odd, key)
	}
	e.key = string(key)
	if r.proxied != nil {
		if list, err := r.proxied(); err == nil {
			if who := address(list); who != nil && string(who) != e.key {
				r.mark(forwarded, who)
			}
		}
	}
	cost, err := r.cost()
	if err != nil {
		return err
	}
	e.cost = int32(cost) // at most traffic.MaxCost
	e.takes, err = r.takesUS(at.us)
	e.stamped = r.spans.stamped
	return err
}
