package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// UID is the user and group of the product.
const UID = 65532

// asRoot creates the root like a container engine (a read-only image, the
// volumes, /proc, /dev and a small /tmp). It switches to the user of the image
// without privileges and starts the program.
const asRoot = `set -e
root=$1 data=$2 cache=$3; shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
mount --bind "$data" "$root/data"
mount --bind "$cache" "$root/var/cache/docledger"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777,size=64m,nosuid,nodev tmpfs "$root/tmp"
mount -o remount,bind,ro "$root"
exec setpriv --no-new-privs unshare --root "$root" --wd /data --setgid ` + uid + ` --setuid ` + uid + ` -- "$@"`

const uid = "65532"

// Container runs programs of the image. Its volumes live as long as it does.
type Container struct {
	image       *Image
	data, cache string
}

// NewContainer creates the volumes below dir: an empty one for data, and one
// for the cache with the content of the image, like engines fill new volumes.
func NewContainer(im *Image, dir string) (*Container, error) {
	c := &Container{image: im, data: filepath.Join(dir, "data"), cache: filepath.Join(dir, "cache")}
	if err := os.CopyFS(c.cache, os.DirFS(filepath.Join(im.Root, "var/cache/docledger"))); err != nil {
		return nil, fmt.Errorf("fill the cache: %w", err)
	}
	if err := os.Mkdir(c.data, 0o700); err != nil {
		return nil, err
	}
	for _, point := range []string{"proc", "dev", "tmp", "data"} {
		if err := os.MkdirAll(filepath.Join(im.Root, point), 0o755); err != nil {
			return nil, err
		}
	}
	return c, c.handOver()
}

// handOver makes the image's user the owner of the volumes.
func (c *Container) handOver() error {
	for _, volume := range []string{c.data, c.cache} {
		err := filepath.WalkDir(volume, func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				err = os.Chmod(path, 0o700)
			}
			if os.Geteuid() == 0 {
				err = errors.Join(err, os.Chown(path, UID, UID))
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("change the owner of a volume: %w", err)
		}
	}
	return nil
}

// Command returns the image's program with arguments. Its environment contains
// exactly these variables and those of the image. Root uses util-linux. Other users
// need bubblewrap, which creates a user namespace.
func (c *Container) Command(ctx context.Context, env map[string]string, args ...string) (*exec.Cmd, error) {
	args = append(append([]string{}, c.image.Config.Entrypoint...), args...)
	var cmd *exec.Cmd
	if os.Geteuid() == 0 {
		cmd = exec.CommandContext(ctx, "unshare", append([]string{
			"--mount", "--pid", "--fork", "--kill-child", "--", "/bin/sh", "-c", asRoot, "sh", c.image.Root, c.data, c.cache,
		}, args...)...)
	} else {
		bwrap, err := exec.LookPath("bwrap")
		if err != nil {
			return nil, errors.New("users other than root need bubblewrap to run the image's content (Debian: apt-get install bubblewrap)")
		}
		cmd = exec.CommandContext(ctx, bwrap, append([]string{
			"--unshare-user", "--unshare-pid", "--die-with-parent", "--uid", uid, "--gid", uid, "--ro-bind", c.image.Root, "/",
			"--bind", c.data, "/data", "--bind", c.cache, "/var/cache/docledger",
			"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/data", "--",
		}, args...)...)
	}
	// The programs that create the root are found through PATH. The image does not
	// set PATH, because it has one program at a known path.
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, c.image.Config.Env...)
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd, nil
}

// Run runs the program of the image to its end and returns its output.
func (c *Container) Run(ctx context.Context, env map[string]string, input string, args ...string) (string, error) {
	cmd, err := c.Command(ctx, env, args...)
	if err != nil {
		return "", err
	}
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Process is a running service.
type Process struct {
	cmd   *exec.Cmd
	log   lockedBuffer
	ended chan error
}

// Start runs the image's program concurrently with the test.
func (c *Container) Start(ctx context.Context, env map[string]string, args ...string) (*Process, error) {
	cmd, err := c.Command(ctx, env, args...)
	if err != nil {
		return nil, err
	}
	p := &Process{cmd: cmd, ended: make(chan error, 1)}
	cmd.Stdout, cmd.Stderr = &p.log, &p.log
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() { p.ended <- cmd.Wait() }()
	return p, nil
}

// Log returns the output so far.
func (p *Process) Log() string { return p.log.String() }

// PID is the process id of the product, below the programs that created its
// root.
func (p *Process) PID() (int, error) {
	pid := p.cmd.Process.Pid
	for {
		name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		if err != nil {
			return 0, err
		}
		if strings.TrimSpace(string(name)) == "docledger" {
			return pid, nil
		}
		children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
		if err != nil {
			return 0, err
		}
		first, _, _ := strings.Cut(strings.TrimSpace(string(children)), " ")
		if pid, err = strconv.Atoi(first); err != nil {
			return 0, errors.New("the product is not running")
		}
	}
}

// Stop sends the stop signal to the product and waits for its end.
func (p *Process) Stop(timeout time.Duration) error {
	pid, err := p.PID()
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-p.ended:
		return err
	case <-time.After(timeout):
		return errors.New("the product did not stop in time")
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String implements fmt.Stringer.
func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
