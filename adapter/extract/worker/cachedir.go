package worker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// cacheDir creates the folder of the compiled PDF engine. The process loads code from it, so no
// other user may write to it.
func cacheDir(wanted string) (string, error) {
	candidates := []string{wanted}
	if wanted == "" {
		candidates = nil
		if base, err := os.UserCacheDir(); err == nil {
			candidates = append(candidates, filepath.Join(base, "docledger", "pdf"))
		}
		candidates = append(candidates, filepath.Join(os.TempDir(), fmt.Sprintf("docledger-%d", os.Getuid())))
	}
	var problems []error
	for _, dir := range candidates {
		err := privateDir(dir)
		if err == nil {
			return filepath.Abs(dir)
		}
		problems = append(problems, err)
	}
	return "", errors.Join(problems...)
}

// isFilled reports whether a folder holds a file, at any depth, besides those of storeCode.
func isFilled(dir string) bool {
	found := errors.New("found")
	return filepath.WalkDir(dir, func(_ string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && !isCode(e.Name()) {
			return found
		}
		return err
	}) == found //nolint:errorlint // WalkDir returns it as it is
}

// privateDir makes a folder that only its owner may write to and proves that
// it can be written to.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || info.Mode().Perm()&0o022 != 0 || !owned(info) {
		return fmt.Errorf("%s must be a folder that only the user who runs the program may write to", dir)
	}
	probe, err := os.CreateTemp(dir, "probe-*")
	if err != nil {
		return err
	}
	probe.Close() //nolint:errcheck // it is empty
	return os.Remove(probe.Name())
}
