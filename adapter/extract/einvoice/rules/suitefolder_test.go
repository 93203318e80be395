package rules

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// suiteFolder finds the clone of a repository: a folder with its name, or with a name
// that ends in it. It fails the test if the clone is at another commit than the one of
// the committed tables.
func suiteFolder(t *testing.T, root, repository string) string {
	t.Helper()
	_, name, _ := strings.Cut(repository, "/")
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != name && !strings.HasSuffix(e.Name(), "+"+name) {
			continue
		}
		dir := filepath.Join(root, e.Name())
		at := slices.IndexFunc(officialSuites, func(s officialSuite) bool { return s.repository == repository })
		clone, err := atCommit(dir, officialSuites[at].commit)
		if err != nil {
			t.Fatal(err)
		}
		if !clone {
			fmt.Printf("%s IS NO GIT CLONE: its commit was not compared with %s.\n", strings.ToUpper(name), officialSuites[at].commit)
		}
		return dir
	}
	t.Fatalf("EINVOICE_SUITES has no folder %s", name)
	return ""
}

// atCommit reports whether a folder is a git clone. It returns an error if the clone is
// at another commit or has changed files.
func atCommit(dir, commit string) (clone bool, err error) {
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		return false, nil //nolint:nilerr // the folder has no history
	}
	git := func(arguments ...string) (string, error) {
		cmd := exec.Command("git", append([]string{"-c", "safe.directory=*", "-C", dir}, arguments...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("git %s in %s: %w: %s", arguments[0], dir, err, out)
		}
		return strings.TrimSpace(string(out)), nil
	}
	head, err := git("rev-parse", "HEAD")
	if err != nil {
		return true, err
	}
	if head != commit {
		return true, fmt.Errorf("%s is at commit %s, the committed tables are of %s; check out that commit, or update the tables", dir, head, commit)
	}
	changed, err := git("status", "--porcelain", "--untracked-files=no")
	if err == nil && changed != "" {
		err = fmt.Errorf("%s has changed files:\n%s", dir, changed)
	}
	return true, err
}

// TestAtCommit compares the commit of a clone, of a clone with changed files, and of a
// folder without history.
func TestAtCommit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if clone, err := atCommit(dir, "0"); clone || err != nil {
		t.Errorf("a folder without history: %t, %v", clone, err)
	}
	git := func(arguments ...string) string {
		t.Helper()
		all := append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null"}, arguments...)
		out, err := exec.Command("git", all...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", arguments, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	file := filepath.Join(dir, "case.xml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	write("<a/>")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	first := git("rev-parse", "HEAD")
	if clone, err := atCommit(dir, first); !clone || err != nil {
		t.Errorf("the right commit: %t, %v", clone, err)
	}
	write("<b/>")
	if _, err := atCommit(dir, first); err == nil || !strings.Contains(err.Error(), "case.xml") {
		t.Errorf("a changed file: %v", err)
	}
	git("commit", "-q", "-a", "-m", "two")
	if _, err := atCommit(dir, first); err == nil || !strings.Contains(err.Error(), first) {
		t.Errorf("another commit: %v", err)
	}
}
