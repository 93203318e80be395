// Package objectstore provides a real S3 server for tests: the gateway of
// Versity over a local folder. It is built from its Go module, whose version
// and checksums are in server/go.mod. It was chosen because it is a server for
// production use, available from the module proxy alone, under the Apache
// licence.
package objectstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// EnvBin names the binary of the server; if it is set, nothing is built.
const EnvBin = "DOCLEDGER_TEST_OBJECTSTORE_BIN"

const command = "github.com/versity/versitygw/cmd/versitygw"

// Provide returns the binary of the server: the one of EnvBin, or one that it
// builds once (some minutes) and stores in the cache of the user. The output of
// the go command goes to progress.
func Provide(ctx context.Context, progress io.Writer) (string, error) {
	if path := os.Getenv(EnvBin); path != "" {
		if !runs(path) {
			return "", errors.New(EnvBin + "=" + path + " is no program")
		}
		return path, nil
	}
	source, err := moduleFolder(ctx)
	if err != nil {
		return "", err
	}
	path, err := kept(source)
	if err != nil || runs(path) {
		return path, err
	}
	return path, build(ctx, progress, source, path)
}

func runs(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && info.Mode()&0o111 != 0
}

// moduleFolder is the folder of the module that pins the server.
func moduleFolder(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "docledger").Output()
	if err != nil {
		return "", fmt.Errorf("find this module's folder: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "test/lib/objectstore/server"), nil
}

// kept is the path of the cached binary of exactly these modules.
func kept(source string) (string, error) {
	sums, err := os.ReadFile(filepath.Join(source, "go.sum"))
	if err != nil {
		return "", fmt.Errorf("read the sums of the object store: %w", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache folder: %w", err)
	}
	sum := sha256.Sum256(sums)
	return filepath.Join(cache, "docledger", "objectstore", hex.EncodeToString(sum[:8]), "versitygw"), nil
}

func build(ctx context.Context, progress io.Writer, source, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("create the cache folder: %w", err)
	}
	// The binary is built under another name and renamed, so that concurrent
	// tests never see a partial binary.
	temp, err := os.MkdirTemp(filepath.Dir(path), ".build-")
	if err != nil {
		return fmt.Errorf("create a folder for the build: %w", err)
	}
	defer os.RemoveAll(temp)
	fmt.Fprintln(progress, "building the object store for tests, once")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(temp, "versitygw"), command)
	cmd.Dir, cmd.Stdout, cmd.Stderr = source, progress, progress
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off")
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build the object store: %w", err)
	}
	if err := os.Rename(filepath.Join(temp, "versitygw"), path); err != nil {
		return fmt.Errorf("keep the object store: %w", err)
	}
	return nil
}
