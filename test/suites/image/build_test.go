package image_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// engine is a container engine that records its builds and saves an empty archive.
const engine = `#!/bin/sh
case $1 in
info) test "$RUNS" = yes ;;
build) printf '%s\n' "$*" >>"$RECORD" ;;
save) while [ $# -gt 1 ]; do [ "$1" = -o ] && : >"$2"; shift; done ;;
*) exit 1 ;;
esac
`

// TestReleaseImagePinsItsBuilder checks that the image of a tagged commit is built only
// with an engine and with a builder image that has a digest.
func TestReleaseImagePinsItsBuilder(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("build.sh")
	if err != nil {
		t.Fatal(err)
	}
	dir, programs := t.TempDir(), t.TempDir()
	for path, content := range map[string]string{
		filepath.Join(dir, "test/suites/image/build.sh"): string(script),
		filepath.Join(dir, "openapi/common.yaml"):        "info:\n  version: 9.9.9\n",
		filepath.Join(programs, "docker"):                engine,
		filepath.Join(programs, "podman"):                "#!/bin/sh\nexit 1\n",
		filepath.Join(programs, "buildah"):               "#!/bin/sh\necho buildah >>\"$RECORD\"\nexit 1\n",
		filepath.Join(programs, "go"):                    "#!/bin/sh\nexit 1\n",
		filepath.Join(dir, ".gitignore"):                 "bin/\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o700); err != nil { //nolint:gosec // the programs are executed
			t.Fatal(err)
		}
	}
	git := func(arguments ...string) {
		t.Helper()
		all := append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null"}, arguments...)
		if out, err := exec.Command("git", all...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", arguments, err, out)
		}
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	build := func(environment ...string) (record, said string, err error) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "record")
		cmd := exec.Command("bash", "test/suites/image/build.sh", "bin/image.tar")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), append([]string{"PATH=" + programs + ":" + os.Getenv("PATH"), "RECORD=" + path, "RUNS=yes", "BUILDER=", "SNAPSHOT=", "VERSION="}, environment...)...)
		out, err := cmd.CombinedOutput()
		done, _ := os.ReadFile(path)
		return string(done), string(out), err
	}
	const image = "registry.example/golang:1"
	pinned := image + "@sha256:" + strings.Repeat("0a", 32)
	if record, said, err := build(); err != nil || record == "" || strings.Contains(record, "BUILDER=") {
		t.Errorf("a commit without a tag: %v %s%s", err, record, said)
	}
	git("tag", "v9.9.9")
	for title, environment := range map[string][]string{
		"no builder":                {},
		"a builder without digest":  {"BUILDER=" + image},
		"a builder with half of it": {"BUILDER=" + image + "@sha256:0a0a"},
		"no engine":                 {"BUILDER=" + pinned, "RUNS=no"},
	} {
		if record, said, err := build(environment...); err == nil || record != "" || !strings.Contains(said, "v9.9.9") {
			t.Errorf("%s: built %q: %s", title, record, said)
		}
	}
	if record, said, err := build("BUILDER=" + pinned); err != nil || !strings.Contains(record, "--build-arg BUILDER="+pinned+" ") {
		t.Errorf("a builder with its digest: %v %s%s", err, record, said)
	}
	if record, said, err := build("SNAPSHOT=1"); err != nil || record == "" {
		t.Errorf("a snapshot of a tagged commit: %v %s%s", err, record, said)
	}
}
