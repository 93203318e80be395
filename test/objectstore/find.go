// Package objectstore gives tests a real server of the S3 protocol: Versity's
// gateway over a local folder, built from its Go module, whose version and sums
// stand in server/go.mod. It was chosen because it is a server for production
// use that is had through the module proxy alone, under the Apache licence.
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

// EnvBin names the server's binary, where it is not to be built.
const EnvBin = "DOCLEDGER_TEST_OBJECTSTORE_BIN"

const command = "github.com/versity/versitygw/cmd/versitygw"

// Provide returns the server's binary: that of EnvBin, or the one that it
// builds, some minutes once, and keeps in the user's cache. What the go command
// prints goes to progress.
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

// moduleFolder is that of the module that pins the server.
func moduleFolder(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "docledger").Output()
	if err != nil {
		return "", fmt.Errorf("find this module's folder: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "test/objectstore/server"), nil
}

// kept is where the binary of exactly these modules lies.
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
	// Built beside and renamed: of several tests that build at once none sees
	// half a binary.
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
