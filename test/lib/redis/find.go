// Package redis provides a real Redis for tests: the one in
// DOCLEDGER_TEST_REDIS_URL, or a private server. Its binary is installed on the
// machine or fetched for the current user.
package redis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// The environment variables that choose a server.
const (
	// EnvURL names a running server. Tests may write to its database.
	EnvURL = "DOCLEDGER_TEST_REDIS_URL"
	// EnvBin names the binary of the server.
	EnvBin = "DOCLEDGER_TEST_REDIS_BIN"
)

// ErrNoBinary names the software to install.
var ErrNoBinary = errors.New("no Redis found: install it (Debian: apt-get install redis-server), " +
	"name its binary in " + EnvBin + ", or a running server in " + EnvURL)

// names are the binaries of servers that support the protocol and its scripts.
var names = []string{"redis-server", "valkey-server"}

// Find returns the binary of the server: the one of EnvBin, one in PATH or in
// the usual folders, or the one that Provide fetched.
func Find() (string, error) {
	if path := os.Getenv(EnvBin); path != "" {
		if runs(path) {
			return path, nil
		}
		return "", errors.New(EnvBin + "=" + path + " is not a program")
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
		for _, dir := range []string{"/usr/bin", "/usr/local/bin", "/opt/redis/bin", "/opt/homebrew/bin"} {
			if path := filepath.Join(dir, name); runs(path) {
				return path, nil
			}
		}
	}
	if dir, err := unpacked(); err == nil && runs(filepath.Join(dir, "usr/bin/redis-server")) {
		return filepath.Join(dir, "usr/bin/redis-server"), nil
	}
	return "", ErrNoBinary
}

func runs(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && info.Mode()&0o111 != 0
}

// Provide is Find. If there is no binary, it fetches the Debian package with
// its dependencies and unpacks it into the cache of the user, without an
// installation and without root. The output of the tools goes to progress.
func Provide(ctx context.Context, progress io.Writer) (string, error) {
	path, err := Find()
	if !errors.Is(err, ErrNoBinary) {
		return path, err
	}
	if err := fetch(ctx, progress); err != nil {
		return "", errors.Join(ErrNoBinary, err)
	}
	return Find()
}

// unpacked is the folder of the unpacked packages.
func unpacked() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache folder: %w", err)
	}
	return filepath.Join(cache, "docledger", "redis"), nil
}

func fetch(ctx context.Context, progress io.Writer) error {
	dir, err := unpacked()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("create the cache folder: %w", err)
	}
	// The packages are unpacked under another name and renamed, so that
	// concurrent tests never see a partial server.
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".redis-")
	if err != nil {
		return fmt.Errorf("create a folder for the packages: %w", err)
	}
	defer os.RemoveAll(temp)
	if err := unpack(ctx, progress, temp); err != nil {
		return err
	}
	err = os.Rename(filepath.Join(temp, "root"), dir)
	if _, found := Find(); err != nil && found != nil {
		return fmt.Errorf("keep the server: %w", err)
	}
	return nil
}

// unpack fetches the packages and unpacks them into the folder root of temp. If
// the package lists are missing or old, it fetches new ones.
func unpack(ctx context.Context, progress io.Writer, temp string) error {
	debs, lists := filepath.Join(temp, "debs"), filepath.Join(temp, "lists")
	for _, dir := range []string{debs, lists} {
		if err := os.MkdirAll(filepath.Join(dir, "partial"), 0o755); err != nil {
			return fmt.Errorf("create a folder for the packages: %w", err)
		}
	}
	get := func(args ...string) error {
		return run(ctx, progress, "apt-get", append([]string{"-y", "-q", "-o", "Debug::NoLocking=true",
			"-o", "Dir::Cache::archives=" + debs, "-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache="}, args...)...)
	}
	download := []string{"install", "--download-only", "--no-install-recommends", "redis-server"}
	if get(download...) != nil {
		own := []string{"-o", "Dir::State::lists=" + lists}
		if err := errors.Join(get(append(own, "update")...), get(append(own, download...)...)); err != nil {
			return err
		}
	}
	packages, err := filepath.Glob(filepath.Join(debs, "*.deb"))
	if err != nil || len(packages) == 0 {
		return errors.Join(errors.New("apt-get fetched nothing"), err)
	}
	for _, p := range packages {
		if err := run(ctx, progress, "dpkg-deb", "-x", p, filepath.Join(temp, "root")); err != nil {
			return err
		}
	}
	return nil
}

func run(ctx context.Context, progress io.Writer, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = progress, progress
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("run %s: %w", name, err)
	}
	return nil
}
