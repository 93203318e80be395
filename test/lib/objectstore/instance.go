package objectstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"docledger/test/lib/tcpproxy"
)

// The credentials of every server of this package, and its region.
const (
	AccessKey = "docledger"
	SecretKey = "not-a-secret-but-long-enough"
	Region    = "us-east-1"
)

const (
	buildTimeout = 9 * time.Minute
	startTimeout = 30 * time.Second
	startPoll    = 10 * time.Millisecond
	stopTimeout  = 10 * time.Second
)

// keeper runs the server ($0 and its arguments) and stops it when the standard
// input ends. The input ends with the parent process, however that process
// ends. It then removes the folder ($DIR).
const keeper = `"$0" "$@" & server=$!
cat >/dev/null
kill -KILL $server 2>/dev/null
wait $server
rm -rf "$DIR"`

// Instance is a private, empty server. Connections reach its socket through a
// proxy, which tests can close.
type Instance struct {
	*tcpproxy.Proxy
	URL    string
	Folder string // each bucket is a folder in it, each object a file

	dir   string
	stdin io.Closer
	ended chan struct{}
}

// Start starts a server and returns when it responds. The server ends with this
// process at the latest.
func Start(ctx context.Context, bin string) (*Instance, error) {
	home := os.TempDir()
	if len(home) > 50 { // the path of a socket must be short
		home = "/tmp"
	}
	dir, err := os.MkdirTemp(home, "docledger-s3-")
	if err != nil {
		return nil, fmt.Errorf("create the server's folder: %w", err)
	}
	in := &Instance{dir: dir, Folder: filepath.Join(dir, "data"), ended: make(chan struct{})}
	for _, folder := range []string{in.Folder, filepath.Join(dir, "meta")} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	socket := filepath.Join(dir, "s")
	if err := in.run(bin, socket); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if in.Proxy, err = tcpproxy.Open(socket); err != nil {
		return nil, errors.Join(err, in.Stop())
	}
	in.URL = "http://" + in.Addr().String()
	if err := in.await(ctx); err != nil {
		text, _ := os.ReadFile(filepath.Join(dir, "log")) // only for the message
		return nil, errors.Join(fmt.Errorf("start the object store: %w\n%s", err, text), in.Stop())
	}
	return in, nil
}

func (in *Instance) run(bin, socket string) error {
	log, err := os.Create(filepath.Join(in.dir, "log"))
	if err != nil {
		return fmt.Errorf("create the server's log: %w", err)
	}
	defer log.Close()
	cmd := exec.Command("/bin/sh", "-c", keeper, bin, "--quiet", "--keep-alive", "--health", "/health", "--port", socket, "--region", Region,
		"posix", "--sidecar", filepath.Join(in.dir, "meta"), in.Folder)
	cmd.Dir, cmd.Stdout, cmd.Stderr = in.dir, log, log
	cmd.Env = append(os.Environ(), "DIR="+in.dir, "ROOT_ACCESS_KEY="+AccessKey, "ROOT_SECRET_KEY="+SecretKey)
	// The process has its own group, because a signal to the group of the tests
	// must not end the keeper first.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if in.stdin, err = cmd.StdinPipe(); err != nil {
		return fmt.Errorf("connect to the server's keeper: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the server's keeper: %w", err)
	}
	go func() {
		_ = cmd.Wait() // the server's own end, whatever it is, is seen by await
		close(in.ended)
	}()
	return nil
}

func (in *Instance) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	tick := time.NewTicker(startPoll)
	defer tick.Stop()
	for {
		err := healthy(ctx, client, in.URL)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-in.ended:
			return err
		case <-tick.C:
		}
	}
}

func healthy(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/health", nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		err = errors.New("answers " + response.Status)
	}
	return errors.Join(err, response.Body.Close())
}

// Stop ends the server like a crash and removes its data.
func (in *Instance) Stop() error {
	var errs []error
	if in.Proxy != nil {
		errs = append(errs, in.Proxy.Close())
	}
	errs = append(errs, in.stdin.Close())
	select {
	case <-in.ended:
	case <-time.After(stopTimeout):
		errs = append(errs, errors.New("the object store did not stop"))
	}
	return errors.Join(errs...)
}

var binary = sync.OnceValues(func() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), buildTimeout)
	defer cancel()
	return Provide(ctx, os.Stderr)
})

// New returns a separate server for the test, which ends with it. The test
// fails on a machine that cannot build the server.
func New(t testing.TB) *Instance {
	t.Helper()
	bin, err := binary()
	if err != nil {
		t.Fatalf("object store for tests: %v", err)
	}
	in, err := Start(context.Background(), bin)
	if err != nil {
		t.Fatalf("object store for tests: %v", err)
	}
	t.Cleanup(func() {
		if err := in.Stop(); err != nil {
			t.Error(err)
		}
	})
	return in
}
