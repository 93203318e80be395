//go:build image

package image_test

import (
	"debug/elf"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/test/lib/generator"
	"docledger/test/suites/image"
)

const megabyte = 1_000_000

// mostBytes is the size limit of the unpacked image.
const mostBytes = 210 * megabyte

// TestImage verifies the content and the configuration of the image.
func TestImage(t *testing.T) {
	im := unpacked(t)
	t.Logf("%.1f MB unpacked", float64(im.Bytes)/megabyte)
	fmt.Printf("image: %.1f MB unpacked, at most %d\n", float64(im.Bytes)/megabyte, mostBytes/megabyte)
	if im.Bytes > mostBytes {
		t.Errorf("%d bytes are more than %d", im.Bytes, mostBytes)
	}
	c := im.Config
	if c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/usr/bin/docledger"}) ||
		!slices.Equal(c.Healthcheck.Test, []string{"CMD", "/usr/bin/docledger", "health"}) {
		t.Errorf("the configuration is %+v", c)
	}
	for _, label := range []string{"title", "description", "licenses", "version", "revision"} {
		if c.Labels["org.opencontainers.image."+label] == "" {
			t.Errorf("the image has no label %s", label)
		}
	}
	for _, variable := range c.Env {
		if name, _, _ := strings.Cut(variable, "="); !slices.Contains([]string{"DATA_DIR", "COMPILE_CACHE_DIR", "LISTEN", "HEALTH_LISTEN", "PATH"}, name) {
			t.Errorf("the image sets %s", name)
		}
	}
	var programs []string
	must(t, filepath.WalkDir(im.Root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		must(t, err)
		name := strings.TrimPrefix(path, im.Root)
		if d.Type().IsRegular() && info.Mode()&0o111 != 0 {
			programs = append(programs, name)
		}
		if info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 || d.Type()&fs.ModeSymlink == 0 && info.Mode()&0o022 != 0 && name != "/tmp" {
			t.Errorf("%s is %s", name, info.Mode())
		}
		return nil
	}))
	// The dynamic loader is executable, and the libraries next to it may be
	// executable.
	programs = slices.DeleteFunc(programs, func(name string) bool { return strings.Contains(filepath.Base(name), ".so") })
	if !slices.Equal(programs, []string{"/usr/bin/docledger", "/usr/bin/docledger-ocr"}) {
		t.Errorf("the programs of the image are %v", programs)
	}
	for file, want := range map[string]string{"LICENSE": "Apache License", "THIRD_PARTY_NOTICES.txt": "github.com/gin-gonic/gin"} {
		text, err := os.ReadFile(filepath.Join(im.Root, "usr/share/doc/docledger", file))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, %d bytes", file, err, len(text))
		}
	}
	binary, err := elf.Open(filepath.Join(im.Root, "usr/bin/docledger"))
	must(t, err)
	defer binary.Close()
	for _, p := range binary.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Error("the program is not static")
		}
	}
}

// TestStackRuns starts compose.yaml's services like its engine, with real servers,
// and extracts a printed invoice.
func TestStackRuns(t *testing.T) {
	w := newWorld(t)
	im := unpacked(t)
	container := func() *image.Container {
		c, err := image.NewContainer(im, t.TempDir())
		must(t, err)
		return c
	}
	for range 2 { // before each start
		out, err := container().Run(t.Context(), w.services["migrate"], "", w.commands["migrate"]...)
		if err != nil {
			t.Fatalf("migrate: %v\n%s", err, out)
		}
	}
	began := time.Now()
	running := map[string]*image.Process{}
	for _, role := range []string{"api", "worker", "tools"} {
		c, env := container(), w.services[role]
		p, err := c.Start(t.Context(), env, w.commands[role]...)
		must(t, err)
		running[role] = p
		until(t, role+" ready", func() bool {
			status, _ := try(t, http.MethodGet, "http://"+env["LISTEN"]+"/readyz", "", "", nil)
			return status == http.StatusOK
		}, p.Log)
		guarded(t, role, p)
		for _, args := range [][]string{{"health"}, {"health", "--ready"}} {
			if out, err := c.Run(t.Context(), env, "", args...); err != nil {
				t.Errorf("%s: %v returns %v: %s", role, args, err, out)
			}
		}
	}
	fmt.Printf("image: all roles ready after %.1f s\n", time.Since(began).Seconds())
	if out, err := container().Run(t.Context(), w.services["api"], "", "doctor"); err != nil {
		t.Errorf("doctor: %v\n%s", err, out)
	}
	sendThrough(t, w, container())
	for role, p := range running {
		if err := p.Stop(30 * time.Second); err != nil { // compose.yaml's stop_grace_period
			t.Errorf("%s: %v\n%s", role, err, p.Log())
		}
	}
	if out, err := container().Run(t.Context(), w.services["api"], "", "health"); err == nil {
		t.Errorf("health without a service: %s", out)
	}
}

// guarded verifies the process attributes that the kernel reports.
func guarded(t *testing.T, role string, p *image.Process) {
	t.Helper()
	pid, err := p.PID()
	must(t, err)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(t, err)
	for _, want := range []string{`(?m)^CapEff:\s+0+$`, `(?m)^CapPrm:\s+0+$`, `(?m)^NoNewPrivs:\s+1$`} {
		if !regexp.MustCompile(want).Match(status) {
			t.Errorf("%s has privileges: %s", role, status)
		}
	}
	if os.Geteuid() == 0 && !regexp.MustCompile(`(?m)^Uid:\s+65532\s+65532\s+65532\s+65532$`).Match(status) {
		t.Errorf("%s runs as another user: %s", role, status)
	}
	mounts, err := os.ReadFile(fmt.Sprintf("/proc/%d/mountinfo", pid))
	must(t, err)
	if !regexp.MustCompile(`(?m)^\d+ \d+ \S+ \S+ / ro`).Match(mounts) {
		t.Errorf("the root of %s is writable: %s", role, mounts)
	}
}

// sendThrough uploads an invoice as a user; a worker extracts its pages.
func sendThrough(t *testing.T, w *world, c *image.Container) {
	t.Helper()
	out, err := c.Run(t.Context(), w.services["api"], "correct horse battery\n",
		"user", "add", "ada@example.com", "--admin", "--new-organization", "Stacked", "--password-stdin")
	if err != nil {
		t.Fatalf("add a user: %v\n%s", err, out)
	}
	base := "http://" + w.services["api"]["LISTEN"]
	const asJSON = "application/json"
	login := call(t, http.MethodPost, base+"/api/auth/login", "", asJSON, []byte(`{"email":"ada@example.com","password":"correct horse battery"}`))
	token := login["token"].(string)
	entity := call(t, http.MethodPost, base+"/api/entities", token, asJSON, []byte(`{"name":"Stacked GmbH"}`))["id"].(string)
	pdf := printed(t)
	contentType, body := form(t, entity, pdf)
	document := call(t, http.MethodPost, base+"/api/documents/upload", token, contentType, body)["id"].(string)
	invoice := call(t, http.MethodPost, base+"/api/invoices/extract", token, asJSON, []byte(`{"document_id":"`+document+`"}`))
	if invoice["invoice_number"] == nil {
		t.Errorf("the invoice is %v", invoice)
	}
	fmt.Printf("image: a printed invoice was extracted: %v\n", invoice["invoice_number"])
}

// printed returns an invoice without embedded data.
func printed(t *testing.T) []byte {
	t.Helper()
	for seed := range uint64(50) {
		if pdf, ok := generator.New(seed, generator.None).PDF(); ok {
			return pdf
		}
	}
	t.Fatal("no seed results in a PDF")
	return nil
}
