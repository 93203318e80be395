package redis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	setupTimeout = 2 * time.Minute
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

// Instance is a private server with a socket in its own folder.
type Instance struct {
	URL   string
	dir   string
	stdin io.Closer
	ended chan struct{}
}

// Start starts an empty server without persistence and returns when it
// responds. The server ends with this process at the latest.
func Start(ctx context.Context, bin string) (*Instance, error) { return StartAt(ctx, bin, 0) }

// StartAt is Start with a server that listens on a port of this machine, so
// that a proxy can forward to it. 0 means a socket instead.
func StartAt(ctx context.Context, bin string, port int) (*Instance, error) {
	home := os.TempDir()
	if len(home) > 50 { // the path of a socket must be short
		home = "/tmp"
	}
	dir, err := os.MkdirTemp(home, "docledger-redis-")
	if err != nil {
		return nil, fmt.Errorf("create the server's folder: %w", err)
	}
	in := &Instance{dir: dir, ended: make(chan struct{})}
	socket := filepath.Join(dir, "s")
	in.URL = "unix://" + socket
	if port != 0 {
		in.URL = fmt.Sprintf("redis://127.0.0.1:%d", port)
	}
	if err := in.run(bin, socket, port); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := in.await(ctx); err != nil {
		text, _ := os.ReadFile(filepath.Join(dir, "log")) // only for the message
		return nil, errors.Join(fmt.Errorf("start Redis: %w\n%s", err, text), in.Stop())
	}
	return in, nil
}

func (in *Instance) run(bin, socket string, port int) error {
	log, err := os.Create(filepath.Join(in.dir, "log"))
	if err != nil {
		return fmt.Errorf("create the server's log: %w", err)
	}
	defer log.Close()
	cmd := exec.Command("/bin/sh", "-c", keeper, bin, "--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--unixsocket", socket,
		"--save", "", "--appendonly", "no", "--dir", in.dir, "--daemonize", "no")
	cmd.Dir, cmd.Stdout, cmd.Stderr = in.dir, log, log
	cmd.Env = append(os.Environ(), "DIR="+in.dir, "LD_LIBRARY_PATH="+libraries(bin))
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
		_ = cmd.Wait() // await detects the end of the server
		close(in.ended)
	}()
	return nil
}

// libraries returns the folders with the libraries of a binary that is unpacked
// but not installed.
func libraries(bin string) string {
	found, _ := filepath.Glob(filepath.Join(filepath.Dir(bin), "../lib/*/liblzf.so*")) // the pattern is well-formed
	dirs := []string{}
	if len(found) > 0 && !strings.HasPrefix(bin, "/usr/") {
		dirs = append(dirs, filepath.Dir(found[0]))
	}
	if before := os.Getenv("LD_LIBRARY_PATH"); before != "" {
		dirs = append(dirs, before)
	}
	return strings.Join(dirs, ":")
}

func (in *Instance) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	client, err := Client(in.URL)
	if err != nil {
		return err
	}
	defer client.Close()
	tick := time.NewTicker(startPoll)
	defer tick.Stop()
	for {
		err := client.Ping(ctx).Err()
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

// Stop ends the server like a crash.
func (in *Instance) Stop() error {
	err := in.stdin.Close()
	select {
	case <-in.ended:
		return err
	case <-time.After(stopTimeout):
		return errors.Join(err, errors.New("the Redis server did not stop"))
	}
}

// Client returns the client of a server. The caller must close it.
func Client(url string) (*redis.Client, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, fmt.Errorf("read the server's URL: %w", err)
	}
	return redis.NewClient(options), nil
}

var shared = sync.OnceValues(func() (string, error) {
	if url := os.Getenv(EnvURL); url != "" {
		return url, nil
	}
	in, err := private()
	if err != nil {
		return "", err
	}
	return in.URL, nil
})

func private() (*Instance, error) {
	ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
	defer cancel()
	bin, err := Provide(ctx, os.Stderr)
	if err != nil {
		return nil, err
	}
	return Start(ctx, bin)
}

// URL returns the server that the tests of this process share. Each test must
// use its own keys. The test fails on a machine without Redis that cannot fetch
// it.
func URL(t testing.TB) string {
	t.Helper()
	url, err := shared()
	if err != nil {
		t.Fatalf("Redis for tests: %v", err)
	}
	return url
}

// New returns a separate server for the test, which the test may stop.
func New(t testing.TB) *Instance {
	t.Helper()
	in, err := private()
	if err != nil {
		t.Fatalf("Redis for tests: %v", err)
	}
	t.Cleanup(func() {
		select {
		case <-in.ended:
		default:
			if err := in.Stop(); err != nil {
				t.Error(err)
			}
		}
	})
	return in
}
