package email

import (
	"bytes"
	"slices"
	"sync"

	"github.com/emersion/go-imap/v2"
)

// maxPutOff is the maximum number of messages that a Mailbox puts off.
const maxPutOff = 10_000

// putOff remembers the messages that could not be received, so that they are tried after all others.
type putOff struct {
	validity uint32
	uids     []imap.UID // the one that failed last is the last one
}

// order divides the messages of a mailbox into those that were not tried before and those that were put off. It
// forgets what is not in the mailbox any more, and everything if the server gave new numbers to the messages.
func (p *putOff) order(validity uint32, uids []imap.UID) (fresh, again []imap.UID) {
	if p.validity != validity {
		p.validity, p.uids = validity, nil
	}
	failed := make(map[imap.UID]bool, len(p.uids))
	for _, uid := range p.uids {
		failed[uid] = true
	}
	present := make(map[imap.UID]bool, len(uids))
	for _, uid := range uids {
		if present[uid] = true; !failed[uid] {
			fresh = append(fresh, uid)
		}
	}
	p.uids = slices.DeleteFunc(p.uids, func(uid imap.UID) bool { return !present[uid] })
	return fresh, slices.Clone(p.uids)
}

// add puts a message off. Above the maximum the first one is forgotten, and tried as a new one.
func (p *putOff) add(uid imap.UID) {
	p.remove(uid)
	if p.uids = append(p.uids, uid); len(p.uids) > maxPutOff {
		p.uids = slices.Delete(p.uids, 0, 1)
	}
}

func (p *putOff) remove(uid imap.UID) {
	if i := slices.Index(p.uids, uid); i >= 0 {
		p.uids = slices.Delete(p.uids, i, i+1)
	}
}

// readOnlyAnswers finds out whether a server opened a mailbox for reading only. imapclient drops the code of that
// answer. It is written to while a client reads, and keeps nothing else.
type readOnlyAnswers struct {
	mutex    sync.Mutex
	started  bool
	last     []byte // the end of what was written, because an answer can come in pieces
	readOnly bool
}

var readOnlyCode = []byte(" OK [READ-ONLY]")

// start begins to search; until then, what is written is ignored.
func (r *readOnlyAnswers) start() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.started = true
}

// end stops the search. It reports whether an answer had the code.
func (r *readOnlyAnswers) end() bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.started, r.last = false, nil
	return r.readOnly
}

// Write implements io.Writer. It never fails.
func (r *readOnlyAnswers) Write(b []byte) (int, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if !r.started {
		return len(b), nil
	}
	text := bytes.ToUpper(append(r.last, b...))
	r.readOnly = r.readOnly || bytes.Contains(text, readOnlyCode)
	r.last = text[max(0, len(text)-len(readOnlyCode)+1):]
	return len(b), nil
}
