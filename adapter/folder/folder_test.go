package folder

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docledger/domain/fault"

	"github.com/google/uuid"
)

var entity = uuid.MustParse("01936b1e-0000-7000-8000-000000000003")

// receiver stores names with their content.
type receiver struct {
	files map[string]string
	fails error
	// before runs before a file is read.
	before func()
}

func (r *receiver) Receive(_ context.Context, id uuid.UUID, name string, content io.Reader) error {
	if id != entity {
		return fault.Missing("entity")
	}
	if r.before != nil {
		r.before()
	}
	text, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	if r.fails != nil {
		return r.fails
	}
	r.files[name] = string(text)
	return nil
}

// dropped is a folder with the folder of an entity, and a clock.
type dropped struct {
	*Folder
	t    *testing.T
	r    *receiver
	path string
	at   time.Time
}

func newDropped(t *testing.T, change func(*Options)) *dropped {
	t.Helper()
	d := &dropped{t: t, r: &receiver{files: map[string]string{}}, at: time.Now()}
	top := t.TempDir()
	d.path = filepath.Join(top, entity.String())
	if err := os.Mkdir(d.path, 0o700); err != nil {
		t.Fatal(err)
	}
	o := Options{Path: top, Receiver: d.r, MaxBytes: 100, Settle: 10 * time.Second, Log: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&o)
	}
	d.Folder = New(o)
	d.now = func() time.Time { return d.at }
	return d
}

func (d *dropped) write(name, text string) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.path, name), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func (d *dropped) pass(later time.Duration) {
	d.t.Helper()
	d.at = d.at.Add(later)
	if err := d.scan(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}

func (d *dropped) exists(name string) bool {
	d.t.Helper()
	_, err := os.Lstat(filepath.Join(d.path, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.t.Fatal(err)
	}
	return err == nil
}

// TestFilesAreReceivedWhenSettled verifies that a file is received once, only when it has not changed for
// the time, and removed only then.
func TestFilesAreReceivedWhenSettled(t *testing.T) {
	t.Parallel()
	d := newDropped(t, nil)
	d.write("a.pdf", "half")
	d.pass(0)
	d.write("a.pdf", "half and the rest")
	d.pass(10 * time.Second)
	if len(d.r.files) > 0 {
		t.Fatal("a growing file was received")
	}
	d.pass(10 * time.Second)
	if d.r.files["a.pdf"] != "half and the rest" || d.exists("a.pdf") {
		t.Errorf("received %v, the file exists: %v", d.r.files, d.exists("a.pdf"))
	}
}

// TestFilesStayUntilStored verifies that a failure, a change during the read and another file under the
// same name lose nothing.
func TestFilesStayUntilStored(t *testing.T) {
	t.Parallel()
	d := newDropped(t, nil)
	d.write("a.pdf", "first")
	d.r.fails = errors.New("the database is away")
	d.pass(0)
	d.pass(11 * time.Second)
	if !d.exists("a.pdf") {
		t.Fatal("a file that was not stored is gone")
	}
	d.r.fails = fault.New(fault.Conflict, fault.CodeConflict, "The entity is archived.")
	d.pass(11 * time.Second)
	if !d.exists("a.pdf") {
		t.Fatal("the file of an archived entity is gone")
	}
	d.r.fails = nil
	d.r.before = func() { d.write("a.pdf", "first and more") }
	d.pass(11 * time.Second)
	if len(d.r.files) > 0 || !d.exists("a.pdf") {
		t.Fatalf("a file that changed while it was read: %v", d.r.files)
	}
	d.r.before = nil
	d.pass(0)
	d.pass(11 * time.Second)
	if d.r.files["a.pdf"] != "first and more" || d.exists("a.pdf") {
		t.Errorf("received %v", d.r.files)
	}
}

// TestFilesAreRefusedWithReason verifies that refused files are kept with a reason, also two of a name.
func TestFilesAreRefusedWithReason(t *testing.T) {
	t.Parallel()
	d := newDropped(t, func(o *Options) { o.Keep = true })
	for _, text := range []string{strings.Repeat("x", 101), ""} {
		d.write("a.pdf", text)
		d.pass(0)
		d.pass(11 * time.Second)
	}
	d.write("fine.pdf", "fine")
	d.pass(0)
	d.pass(11 * time.Second)
	entries, err := os.ReadDir(filepath.Join(d.path, refusedFolder))
	if err != nil || len(entries) != 4 || d.exists("a.pdf") {
		t.Errorf("refused: %v, %v", entries, err)
	}
	reason, err := os.ReadFile(filepath.Join(d.path, refusedFolder, "a.pdf.reason.txt"))
	if err != nil || !strings.Contains(string(reason), "MAX_UPLOAD_BYTES") {
		t.Errorf("the reason: %q, %v", reason, err)
	}
	if !d.exists(doneFolder + "/fine.pdf") {
		t.Error("a received file was not kept")
	}
	d.pass(11 * time.Second)
	d.pass(11 * time.Second)
	if len(d.r.files) != 1 {
		t.Errorf("received %v", d.r.files)
	}
}

// TestOtherEntriesAreIgnored verifies that links, hidden and temporary files, folders and folders of no
// entity are not read.
func TestOtherEntriesAreIgnored(t *testing.T) {
	t.Parallel()
	d := newDropped(t, nil)
	outside := filepath.Join(t.TempDir(), "secret.pdf")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(d.path, "link.pdf")); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(d.o.Path, "01936b1e-0000-7000-8000-000000000009")
	if err := os.Symlink(filepath.Dir(outside), other); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{filepath.Join(d.path, "sub"), filepath.Join(d.o.Path, "Acme")} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "a.pdf"), []byte("a"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".hidden.pdf", "a.pdf.part", "~$a.docx", "Thumbs.db"} {
		d.write(name, "temporary")
	}
	d.pass(0)
	d.pass(11 * time.Second)
	if len(d.r.files) > 0 || !d.exists("link.pdf") {
		t.Errorf("received %v", d.r.files)
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "secret" {
		t.Errorf("the target of a link: %q, %v", text, err)
	}
}

// TestPassesAreBounded verifies that one pass receives a limited number of files, and the next ones the
// others.
func TestPassesAreBounded(t *testing.T) {
	t.Parallel()
	d := newDropped(t, nil)
	for range maxFiles + 5 {
		d.write(uuid.NewString()+".pdf", "text")
	}
	d.pass(0)
	d.pass(11 * time.Second)
	if len(d.r.files) != maxFiles {
		t.Errorf("%d files received in one pass", len(d.r.files))
	}
	d.pass(0)
	if len(d.r.files) != maxFiles+5 {
		t.Errorf("%d files received in two passes", len(d.r.files))
	}
}
