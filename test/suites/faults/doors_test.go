package faults

import (
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/domain/identity"
	"docledger/test/lib/postgres"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
)

// doorPatience is the time within which a restarted service receives what waits at a door.
const doorPatience = 2 * time.Minute

// until waits for a condition. It fails the test after doorPatience.
func until(t *testing.T, what string, met func() bool) {
	t.Helper()
	for end := time.Now().Add(doorPatience); !met(); {
		if time.Now().After(end) {
			t.Fatalf("not %s within %v", what, doorPatience)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// TestKilledServiceKeepsFilesOfTheFolder kills the service at random points while files arrive in INTAKE_FOLDER. Each
// file becomes one document.
func TestKilledServiceKeepsFilesOfTheFolder(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { killingFolder(t, "") })
	t.Run("postgres", func(t *testing.T) { killingFolder(t, postgres.New(t)) })
}

func killingFolder(t *testing.T, databaseURL string) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	draw := rand.New(rand.NewPCG(seed, 0))
	root := t.TempDir()
	p := newProductWith(t, databaseURL, map[string]string{"INTAKE_FOLDER": root, "INTAKE_SETTLE": "10ms"}, func(*service.Service, identity.Actor) {})
	folder := filepath.Join(root, p.entity.String())
	p.must(os.Mkdir(folder, 0o700))
	dropped := 0
	drop := func(round int) {
		dropped++
		hidden := filepath.Join(folder, ".new")
		p.must(os.WriteFile(hidden, fmt.Appendf(nil, "file %d of round %d", dropped, round), 0o600))
		p.must(os.Rename(hidden, filepath.Join(folder, fmt.Sprintf("file-%d.txt", dropped))))
	}
	waiting := func() int {
		entries, err := os.ReadDir(folder)
		p.must(err)
		return len(entries)
	}
	for round := range kills(t) {
		for range 20 { // files that wait when the service starts
			drop(round)
		}
		r := p.start()
		end := time.NewTimer(time.Duration(draw.Int64N(int64(emailLongest))))
		for running := true; running; {
			select {
			case <-end.C:
				running = false
			case <-time.After(20 * time.Millisecond):
				drop(round)
			}
		}
		r.kill()
	}
	left := waiting()
	r := p.start()
	until(t, "every file received", func() bool { return waiting() == 0 })
	stored := p.stored(r)
	for n := range dropped {
		if name := fmt.Sprintf("file-%d.txt", n+1); stored[name] != 1 {
			t.Errorf("%s is stored %d times", name, stored[name])
		}
	}
	if len(stored) != dropped {
		t.Errorf("%d documents of %d files", len(stored), dropped)
	}
	t.Logf("%d files, %d of them waited after the last kill", dropped, left)
}

// killingSession kills the service when it reads a message, or marks one that it has stored.
type killingSession struct {
	imapserver.Session
	door *mailboxDoor
}

// errKilled is the answer to a service that is dead.
var errKilled = errors.New("the service was killed")

// Fetch implements imapserver.Session.
func (s killingSession) Fetch(w *imapserver.FetchWriter, numSet imap.NumSet, options *imap.FetchOptions) error {
	if len(options.BodySection) > 0 && s.door.kills(&s.door.reads) {
		return errKilled
	}
	return s.Session.Fetch(w, numSet, options)
}

// Store implements imapserver.Session.
func (s killingSession) Store(w *imapserver.FetchWriter, numSet imap.NumSet, flags *imap.StoreFlags, options *imap.StoreOptions) error {
	if s.door.kills(&s.door.marks) {
		return errKilled
	}
	return s.Session.Store(w, numSet, flags, options)
}

// mailboxDoor is a mailbox whose server kills the service.
type mailboxDoor struct {
	user    *imapmemserver.User
	address string
	roots   string // a file
	running atomic.Pointer[running]
	// reads and marks count down to a kill; 0 or less is none.
	reads, marks atomic.Int64
	killed       chan struct{}
}

// kills counts a call, and kills the service at the last one.
func (d *mailboxDoor) kills(left *atomic.Int64) bool {
	if left.Add(-1) != 0 {
		return false
	}
	d.running.Load().kill()
	d.killed <- struct{}{}
	return true
}

func newMailboxDoor(t *testing.T) *mailboxDoor {
	t.Helper()
	web := httptest.NewTLSServer(nil) // its certificate is for 127.0.0.1
	t.Cleanup(web.Close)
	d := &mailboxDoor{user: imapmemserver.NewUser("invoices", password), roots: filepath.Join(t.TempDir(), "roots.pem"), killed: make(chan struct{}, 1)}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw})
	if err := errors.Join(d.user.Create("INBOX", nil), os.WriteFile(d.roots, certificate, 0o600)); err != nil {
		t.Fatal(err)
	}
	memory := imapmemserver.New()
	memory.AddUser(d.user)
	server := imapserver.New(&imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return killingSession{memory.NewSession(), d}, nil, nil
		},
		Caps: imap.CapSet{imap.CapIMAP4rev1: {}}, InsecureAuth: true,
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d.address = l.Addr().String()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(tls.NewListener(l, &tls.Config{Certificates: web.TLS.Certificates, MinVersion: tls.VersionTLS12})) // it ends with an error when it is closed
	}()
	t.Cleanup(func() { _ = server.Close(); <-ended })
	return d
}

// literal is a message for the server in memory.
type literal struct{ *strings.Reader }

// Size implements imap.LiteralReader.
func (l literal) Size() int64 { return l.Reader.Size() }

// TestKilledServiceKeepsMessagesOfTheMailbox kills the service while it reads messages of EMAIL_IMAP, and between storing
// and marking them. Each message becomes one document.
func TestKilledServiceKeepsMessagesOfTheMailbox(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { killingMailbox(t, "") })
	t.Run("postgres", func(t *testing.T) { killingMailbox(t, postgres.New(t)) })
}

func killingMailbox(t *testing.T, databaseURL string) {
	d := newMailboxDoor(t)
	env := map[string]string{
		"EMAIL_DOMAIN": "in.example.com", "EMAIL_IMAP_INTERVAL": "50ms", "SSL_CERT_FILE": d.roots, "SSL_CERT_DIR": filepath.Dir(d.roots),
		"EMAIL_IMAP": "imaps://invoices:" + strings.ReplaceAll(password, " ", "%20") + "@" + d.address + "/INBOX", namesEnv: "1",
	}
	var to string
	p := newProductWith(t, databaseURL, env, func(s *service.Service, admin identity.Actor) { to = intakeOf(t, s, admin) })
	sent := map[string]bool{}
	for round := range 2 * kills(t) {
		// The messages of the round before, which can be stored without a mark, are read as well.
		d.running.Store(p.start())
		left := &d.reads
		if round%2 == 1 {
			left = &d.marks
		}
		left.Store(int64(1 + round%3)) // the first, the second or the third message
		for n := range 4 {
			subject := fmt.Sprintf("message %d of round %d", n, round)
			sent[subject+".eml"] = true
			text := "From: a@shop.example\r\nTo: " + to + "\r\nSubject: " + subject + "\r\n\r\nHello\r\n"
			if _, err := d.user.Append("INBOX", literal{strings.NewReader(text)}, &imap.AppendOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		select {
		case <-d.killed:
		case <-time.After(doorPatience):
			t.Fatalf("round %d: the service read no message", round)
		}
	}
	r := p.start()
	until(t, "every message marked", func() bool {
		status, err := d.user.Status("INBOX", &imap.StatusOptions{NumUnseen: true})
		return err == nil && status.NumUnseen != nil && *status.NumUnseen == 0
	})
	stored := p.stored(r)
	for name := range sent {
		if stored[name] != 1 {
			t.Errorf("%q is stored %d times", name, stored[name])
		}
	}
	if len(stored) != len(sent) {
		t.Errorf("%d documents of %d messages", len(stored), len(sent))
	}
	t.Logf("%d messages, %d kills", len(sent), 2*kills(t))
}
