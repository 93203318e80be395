package operations

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/test/lib/harness"
)

// childEnv makes this test binary run the service.
const childEnv = "DOCLEDGER_OPERATIONS_SERVICE"

// serveIfChild runs the service in a child process until it receives the stop signal.
func serveIfChild() bool {
	if os.Getenv(childEnv) == "" {
		return false
	}
	if err := serveChild(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

func serveChild() (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	handleDiskSignals()
	cfg, err := service.Configured()
	if err != nil {
		return err
	}
	s, err := service.Open(ctx, cfg, slog.New(slog.NewTextHandler(os.Stderr, nil)), service.Overrides{})
	if err != nil {
		return err
	}
	defer s.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + l.Addr().String())
	return s.Run(ctx, l, true)
}

// handleDiskSignals makes the disk full or usable as the parent requests.
func handleDiskSignals() {
	signal.Ignore(syscall.SIGXFSZ) // the write returns the error instead
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, fillDisk, emptyDisk)
	go func() {
		for s := range signals {
			room := uint64(math.MaxUint64)
			if s == fillDisk {
				room = 0
			}
			if err := limitFiles(room); err != nil {
				panic(err)
			}
		}
	}()
}

// startChild runs the service of a server in a separate process.
func startChild(t *testing.T, s *harness.Server, o harness.Options, delay string) (child *exec.Cmd, url string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child = exec.Command(self)
	child.Env = append(os.Environ(), childEnv+"=1", "BILLING=none", "IDENTITY=local", "DATA_DIR="+s.DataDir, "DATABASE_URL="+o.DatabaseURL,
		"SHUTDOWN_DELAY="+delay, "SHUTDOWN_TIMEOUT=20s", "BASE_URL="+s.URL, "PASSWORD_MEMORY_KIB=8192")
	child.Stderr = io.Discard
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return child, strings.TrimSpace(line)
}

func readiness(url string) int {
	resp, err := http.Get(url + "/readyz")
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

// TestGracefulShutdown checks that a stopping process first reports that it is not
// ready, accepts requests for a while, completes the running upload, and ends with
// success. Accepted work is not lost.
func TestGracefulShutdown(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		o.NoWorkers = true
		s := harness.Start(t, o)
		sender := s.NewOrganization("Sender")
		child, url := startChild(t, s, o, "1500ms")
		await(t, "the process to be ready", func() bool { return readiness(url) == http.StatusOK })

		content, err := os.ReadFile("../../../examples/invoice-ubl.xml")
		if err != nil {
			t.Fatal(err)
		}
		body, send := io.Pipe()
		req, err := http.NewRequest(http.MethodPost, url+"/api/documents/upload", body)
		if err != nil {
			t.Fatal(err)
		}
		form := multipart.NewWriter(send)
		req.Header.Set("Content-Type", form.FormDataContentType())
		req.Header.Set("Authorization", "Bearer "+sender.Admin.Token)
		answered := make(chan string, 1)
		go func() {
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				answered <- err.Error()
				return
			}
			defer resp.Body.Close()
			raw, _ := io.ReadAll(resp.Body)
			answered <- fmt.Sprint(resp.StatusCode, " ", string(raw))
		}()
		_ = form.WriteField("entity_id", sender.Entity.String())
		part, err := form.CreateFormFile("file", "invoice.xml")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(part, bytes.NewReader(content[:100])); err != nil {
			t.Fatal(err)
		}
		if err := child.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		await(t, "readiness to be denied", func() bool { return readiness(url) == http.StatusServiceUnavailable })
		await(t, "new connections to be refused", func() bool { return readiness(url) == 0 })
		_, _ = part.Write(content[100:])
		_ = form.Close()
		_ = send.Close()
		if got := <-answered; !strings.HasPrefix(got, "200 ") {
			t.Errorf("the running upload returned %s", got)
		}
		ended := make(chan error, 1)
		go func() { ended <- child.Wait() }()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the process ended with %v", err)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("the process does not end")
		}
		if n := s.Do(http.MethodGet, "/api/documents", sender.Admin.Token, nil).OK().Len("items"); n != 1 {
			t.Errorf("%d documents are stored", n)
		}
	})
}
