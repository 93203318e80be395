package pdf

import (
	"bufio"
	"errors"
	"io"
)

// lzwReader decodes LZWDecode (7.4.4). compress/lzw cannot be used, because PDF
// widens its codes one entry earlier.
type lzwReader struct {
	r      *bufio.Reader
	early  int
	bits   uint32
	have   uint
	width  uint
	next   int // code of the next entry
	last   int // previous code; -1 after a clear
	prefix [4096]uint16
	suffix [4096]byte
	out    []byte // decoded and not yet returned
	spell  [4096]byte
	err    error
}

const (
	lzwClear = 256
	lzwEnd   = 257
)

var errLZW = errors.New("invalid LZW code")

func newLZW(r io.Reader, early bool) *lzwReader {
	l := &lzwReader{r: bufio.NewReader(r)}
	if early {
		l.early = 1
	}
	l.reset()
	return l
}

func (l *lzwReader) reset() { l.width, l.next, l.last = 9, 258, -1 }

func (l *lzwReader) Read(b []byte) (int, error) {
	for len(l.out) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		l.err = l.step()
	}
	n := copy(b, l.out)
	l.out = l.out[n:]
	return n, nil
}

func (l *lzwReader) code() (int, error) {
	for l.have < l.width {
		c, err := l.r.ReadByte()
		if err != nil {
			return 0, err
		}
		l.bits = l.bits<<8 | uint32(c)
		l.have += 8
	}
	l.have -= l.width
	return int(l.bits >> l.have & (1<<l.width - 1)), nil
}

// step reads one code and writes its value to out.
func (l *lzwReader) step() error {
	code, err := l.code()
	switch {
	case err != nil:
		return err
	case code == lzwEnd:
		return io.EOF
	case code == lzwClear:
		l.reset()
		return nil
	case code > l.next || (code == l.next && l.last < 0):
		return errLZW
	}
	end := len(l.spell)
	at := end
	from := code
	if code == l.next {
		at--
		from = l.last
	}
	for from >= 258 {
		at--
		l.spell[at] = l.suffix[from]
		from = int(l.prefix[from])
	}
	at--
	l.spell[at] = byte(from)
	if code == l.next {
		l.spell[end-1] = byte(from)
	}
	l.learn(byte(from))
	l.last = code
	l.out = l.spell[at:end]
	return nil
}

// learn adds the last code followed by a byte to the table.
func (l *lzwReader) learn(first byte) {
	if l.last < 0 || l.next >= len(l.prefix) {
		return
	}
	l.prefix[l.next], l.suffix[l.next] = uint16(l.last), first
	l.next++
	if l.next+l.early >= 1<<l.width && l.width < 12 {
		l.width++
	}
}
