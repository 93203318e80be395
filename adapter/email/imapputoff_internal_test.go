package email

import (
	"slices"
	"testing"

	"github.com/emersion/go-imap/v2"
)

// TestPutOff verifies which messages stay put off: none that left the mailbox, none after the server gave new
// numbers, and a limited number.
func TestPutOff(t *testing.T) {
	t.Parallel()
	var p putOff
	p.order(1, nil)
	for _, uid := range []imap.UID{1, 2, 3, 1} {
		p.add(uid)
	}
	p.remove(9)
	fresh, again := p.order(1, []imap.UID{1, 2, 4})
	if !slices.Equal(fresh, []imap.UID{4}) || !slices.Equal(again, []imap.UID{2, 1}) {
		t.Errorf("first %v, then %v", fresh, again)
	}
	if fresh, again = p.order(2, []imap.UID{1, 2}); len(fresh) != 2 || len(again) != 0 {
		t.Errorf("after new numbers: first %v, then %v", fresh, again)
	}
	for uid := range imap.UID(maxPutOff + 1) {
		p.add(uid + 1)
	}
	if fresh, again = p.order(2, []imap.UID{1, 2}); !slices.Equal(fresh, []imap.UID{1}) || !slices.Equal(again, []imap.UID{2}) {
		t.Errorf("above the maximum: first %v, then %v", fresh, again)
	}
}

// TestReadOnlyAnswers verifies that the code is found in pieces, and only while the mailbox is opened.
func TestReadOnlyAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, during []string
		want           bool
	}{
		{nil, []string{"* 1 EXISTS\r\nT3 OK [rea", "d-on", "ly] opened\r\n"}, true},
		{[]string{"T2 OK [READ-ONLY] x\r\n"}, []string{"T3 OK [READ-WRITE] opened\r\n"}, false},
		{nil, []string{"T3 SELECT [READ-ONLY]\r\n", "T3 OK opened\r\n"}, false},
	} {
		var r readOnlyAnswers
		write := func(texts []string) {
			for _, text := range texts {
				if n, err := r.Write([]byte(text)); n != len(text) || err != nil {
					t.Fatal(n, err)
				}
			}
		}
		write(c.before)
		r.start()
		write(c.during)
		if got := r.end(); got != c.want {
			t.Errorf("%q: %t", c.during, got)
		}
	}
}
