// Package postgres provides databases of a real PostgreSQL server for tests:
// the server in DOCLEDGER_TEST_POSTGRES_URL, or a private instance with
// installed binaries.
package postgres

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
)

// The environment variables that choose a server.
const (
	// EnvURL names a running server by the URL of one of its databases. Its
	// user must be allowed to create databases.
	EnvURL = "DOCLEDGER_TEST_POSTGRES_URL"
	// EnvBin names the folder of the server binaries.
	EnvBin = "DOCLEDGER_TEST_POSTGRES_BIN"
)

// ErrNoBinaries names the software to install.
var ErrNoBinaries = errors.New("no PostgreSQL found: install it (Debian: apt-get install postgresql), " +
	"name the folder of its binaries in " + EnvBin + ", or a running server in " + EnvURL)

// Find returns the folder of the server binaries: the one of EnvBin, the newest
// Debian package, one in PATH, or the one that Provide fetched.
func Find() (string, error) {
	if dir := os.Getenv(EnvBin); dir != "" {
		if complete(dir) {
			return dir, nil
		}
		return "", errors.New(EnvBin + "=" + dir + " does not contain initdb and postgres")
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is well-formed
	sort.Slice(found, func(i, j int) bool { return newer(found[i], found[j]) })
	if path, err := exec.LookPath("postgres"); err == nil {
		found = append(found, filepath.Dir(path))
	}
	if dir, err := downloadFolder(); err == nil {
		found = append(found, filepath.Join(dir, npmBin))
	}
	for _, dir := range found {
		if complete(dir) {
			return dir, nil
		}
	}
	return "", ErrNoBinaries
}

// newer compares folders such as /usr/lib/postgresql/9.6/bin by version number.
func newer(a, b string) bool {
	a, b = filepath.Base(filepath.Dir(a)), filepath.Base(filepath.Dir(b))
	if len(a) != len(b) && filepath.Ext(a) == "" && filepath.Ext(b) == "" {
		return len(a) > len(b)
	}
	if filepath.Ext(a) != filepath.Ext(b) {
		return filepath.Ext(a) == ""
	}
	return a > b
}

func complete(dir string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			return false
		}
	}
	return true
}
