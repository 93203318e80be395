package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// superuser owns a private instance. The instance trusts this user on its socket.
const superuser = "docledger"

const (
	startTimeout = 30 * time.Second
	startPoll    = 10 * time.Millisecond
	stopTimeout  = 10 * time.Second
	keptTimeout  = 5 * time.Minute // to write all data to disk
)

// The settings of a private instance. Its data need not survive it.
var settings = []string{
	"listen_addresses=", "fsync=off", "synchronous_commit=off", "full_page_writes=off",
	"max_connections=400", "shared_buffers=96MB", "autovacuum=off", "wal_level=minimal", "max_wal_senders=0",
	"max_wal_size=2GB", "checkpoint_timeout=1h", "log_min_messages=warning",
}

// keeper runs the server ($0 and its arguments) and stops it when the standard
// input ends. The input ends with the parent process, however that process
// ends. It then removes the folder ($DIR). With $STOP_WITH it instead stops the server
// with all data on disk.
const keeper = `"$0" "$@" & server=$!
cat >/dev/null
kill -${STOP_WITH:-QUIT} $server 2>/dev/null
wait $server
[ -n "$STOP_WITH" ] || rm -rf "$DIR"`

// Instance is a private server with a socket in its own folder.
type Instance struct {
	URL    string // of its database `postgres`
	dir    string
	keep   bool // the folder remains
	bin    string
	as     *syscall.Credential // user of the server; nil is this user
	moved  bool                // restarted, and therefore no longer a child of the keeper
	keeper *exec.Cmd
	stdin  io.Closer
	ended  chan struct{}
	log    *os.File
}

// Start starts a server with the binaries of a folder and returns when it
// responds. The server ends with this process at the latest. Root starts it as
// another user, because PostgreSQL refuses to run as root.
func Start(ctx context.Context, bin string) (*Instance, error) {
	return start(ctx, bin, home(), 0, settings)
}

// StartDurable is Start with a server that stores commits durably, as in
// production, for measurements.
func StartDurable(ctx context.Context, bin string) (*Instance, error) {
	return start(ctx, bin, diskHome(), 0, durable())
}

// StartDurableAt is StartDurable with a server that also listens on a port of
// this machine, so that a proxy can forward to it and Restart can crash it.
func StartDurableAt(ctx context.Context, bin string, port int) (*Instance, error) {
	return start(ctx, bin, diskHome(), port, append(durable(), "listen_addresses=127.0.0.1", fmt.Sprintf("port=%d", port)))
}

// StartKept is StartDurable with a server in a given folder, which it creates. The data remain when
// the server ends, and a later call continues with them.
func StartKept(ctx context.Context, bin, dir string) (*Instance, error) {
	as, err := unprivileged()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // another user may run the server
		return nil, fmt.Errorf("create the server's folder: %w", err)
	}
	return startIn(ctx, &Instance{dir: dir, keep: true, bin: bin, as: as, ended: make(chan struct{}), URL: socketURL(dir)}, durable())
}

func durable() []string {
	return append(slices.Clone(settings), "fsync=on", "synchronous_commit=on", "full_page_writes=on")
}

func start(ctx context.Context, bin, home string, port int, settings []string) (*Instance, error) {
	as, err := unprivileged()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(home, "docledger-pg-")
	if err != nil {
		return nil, fmt.Errorf("create the server's folder: %w", err)
	}
	in := &Instance{dir: dir, bin: bin, as: as, ended: make(chan struct{}), URL: socketURL(dir)}
	if port != 0 {
		in.URL = fmt.Sprintf("postgres://%s@127.0.0.1:%d/postgres", superuser, port)
	}
	if in, err = startIn(ctx, in, settings); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return in, nil
}

func startIn(ctx context.Context, in *Instance, settings []string) (*Instance, error) {
	if _, err := os.Stat(in.data()); err != nil {
		if err := in.initialize(ctx, in.bin, in.as); err != nil {
			return nil, err
		}
	}
	if err := in.run(in.bin, in.as, settings); err != nil {
		return nil, err
	}
	if err := in.await(ctx); err != nil {
		text, _ := os.ReadFile(in.log.Name()) // only for the message
		return nil, errors.Join(fmt.Errorf("start PostgreSQL: %w\n%s", err, text), in.Stop())
	}
	return in, nil
}

// Process returns the id of the server's first process. Its children serve the connections.
func (in *Instance) Process() (int, error) {
	text, err := os.ReadFile(filepath.Join(in.data(), "postmaster.pid"))
	if err != nil {
		return 0, fmt.Errorf("find the server's process: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(line)
}

// Stop ends the server and removes its data, unless they are kept.
func (in *Instance) Stop() error {
	var err error
	if in.moved {
		err = in.control(context.Background(), "stop")
	}
	err = errors.Join(err, in.stdin.Close())
	limit := stopTimeout
	if in.keep {
		limit = keptTimeout
	}
	select {
	case <-in.ended:
		return err
	case <-time.After(limit):
		return errors.Join(err, errors.New("PostgreSQL did not stop"))
	}
}

// Halt ends the server like a crash. Restart starts it again with its data.
func (in *Instance) Halt(ctx context.Context) error {
	in.moved = true
	return in.control(ctx, "stop")
}

// Restart ends a running server like a crash, and starts it again with its
// data.
func (in *Instance) Restart(ctx context.Context) error {
	in.moved = true
	return in.control(ctx, "restart")
}

func (in *Instance) control(ctx context.Context, what string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(in.bin, "pg_ctl"), "-D", in.data(), "-m", "immediate", "-w", "-l", filepath.Join(in.data(), "restarted.log"), what)
	cmd.Dir, cmd.SysProcAttr = in.dir, &syscall.SysProcAttr{Credential: in.as, Setpgid: true}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pg_ctl %s: %w\n%s", what, err, bytes.TrimSpace(out))
	}
	return nil
}

func (in *Instance) initialize(ctx context.Context, bin string, as *syscall.Credential) error {
	if as != nil {
		if err := os.Chown(in.dir, int(as.Uid), int(as.Gid)); err != nil {
			return fmt.Errorf("hand over the server's folder: %w", err)
		}
	}
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "--pgdata", in.data(),
		"--username", superuser, "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync", "--no-instructions")
	cmd.Dir, cmd.SysProcAttr = in.dir, &syscall.SysProcAttr{Credential: as}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("run initdb: %w\n%s", err, bytes.TrimSpace(out))
	}
	return nil
}

func (in *Instance) run(bin string, as *syscall.Credential, settings []string) (err error) {
	if in.log, err = os.Create(filepath.Join(in.dir, "log")); err != nil {
		return fmt.Errorf("create the server's log: %w", err)
	}
	args := []string{"-c", keeper, filepath.Join(bin, "postgres"), "-D", in.data(), "-k", in.dir}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	cmd := exec.Command("/bin/sh", args...)
	stop := ""
	if in.keep {
		stop = "INT" // a fast shutdown
	}
	cmd.Dir, cmd.Env = in.dir, append(os.Environ(), "DIR="+in.dir, "STOP_WITH="+stop)
	cmd.Stdout, cmd.Stderr = in.log, in.log
	// The process has its own group, because a signal to the group of the tests
	// must not end the keeper first.
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as, Setpgid: true}
	if in.stdin, err = cmd.StdinPipe(); err != nil {
		return fmt.Errorf("connect to the server's keeper: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the server's keeper: %w", err)
	}
	in.keeper = cmd
	go func() {
		_ = cmd.Wait() // await detects the end of the server
		close(in.ended)
	}()
	return nil
}

func (in *Instance) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(startPoll)
	defer tick.Stop()
	for {
		conn, err := pgx.Connect(ctx, in.URL)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}

func (in *Instance) data() string { return filepath.Join(in.dir, "data") }

func socketURL(dir string) string {
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/postgres"}
	u.RawQuery = url.Values{"host": {dir}}.Encode()
	return u.String()
}

// memoryFolder is a folder in memory, where databases are nine times faster
// than on a virtual disk. It is used if it has enough space.
const (
	memoryFolder = "/dev/shm"
	memoryRoom   = 4 << 30
)

// home is the parent of the server folder. Its path is short, because socket
// paths have a length limit.
func home() string {
	var fs syscall.Statfs_t
	if syscall.Statfs(memoryFolder, &fs) == nil && uint64(fs.Bavail)*uint64(fs.Bsize) >= memoryRoom {
		return memoryFolder
	}
	return diskHome()
}

func diskHome() string {
	if dir := os.TempDir(); len(dir) < 50 {
		return dir
	}
	return "/tmp"
}

// unprivileged returns the user of the server process; nil means the current
// user.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if uidErr == nil && gidErr == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is neither a user `postgres` nor a user `nobody` to run it")
}
