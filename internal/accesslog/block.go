package accesslog

// blockSize is about how many bytes are read and parsed together. It affects only the speed, as a test shows.
var blockSize = 64 << 10

// block is a piece of a file with the requests of its lines.
type block struct {
	records
	*fields       // reads the lines
	file          *traceFile
	buffer        []byte        // holds the data
	entries       []entry       // one for each line that is not blank and not a comment
	errs          []error       // one for each bad line, in order
	taken, parsed chan struct{} // closed when the block has been taken from the file, and when it has been parsed
}

// blocks are the blocks of one file. They are read one after the other and parsed on all processors.
type blocks struct {
	now   *block        // the block with the next line
	place int           // the index of the next entry in now
	ahead []*block      // the blocks after it: several once a block has shown the format of the times
	last  chan struct{} // closed when the last of them is taken
}

// line returns the next line in the order of the file. After the last line it returns takeRecord's error.
func (f *traceFile) line() (*entry, error) {
	for ; f.now == nil || f.place == len(f.now.entries); f.advance() {
		if f.now != nil && f.now.ended != nil {
			return nil, f.now.ended
		}
	}
	f.place++
	return &f.now.entries[f.place-1], nil
}

// advance moves on to the next block.
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

// start reads and parses the next block of the file in the background.
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

// drop discards all blocks when no more lines will be read.
func (f *traceFile) drop() {
	for _, b := range f.ahead {
		<-b.parsed
	}
	f.shared.spare += len(f.ahead)
	f.blocks = blocks{}
}

// parse reads the lines of the block.
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
		case err == errComment, b.number <= 0: // a comment, or a line of a Piece's head
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

// read reads the request of one line into e.
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
	e.cost = int32(cost) // it fits: cost returns at most traffic.MaxCost
	if e.takes, err = r.takesUS(at.us); err != nil {
		return err
	}
	actual, err := r.actualCost()
	e.actual = int32(actual)
	e.stamped = r.spans.stamped
	return err
}
