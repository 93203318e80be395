package install

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	_ "embed" // the requirements
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

//go:embed requirements.txt
var requirements string

// members are the files of the wheels that are installed, by their names in the
// folder of an installation.
var members = map[string]string{
	"rapidocr/models/PP-OCRv6_det_small.onnx":              detection,
	"rapidocr/models/PP-OCRv6_rec_small.onnx":              recognition,
	"rapidocr/models/ch_ppocr_mobile_v2.0_cls_mobile.onnx": direction,
	"onnxruntime/capi/" + libraryMember[platform()]:        libraryName(),
	"rapidocr-3.10.0.dist-info/licenses/LICENSE":           "LICENSE.rapidocr",
	"rapidocr-3.10.0.dist-info/licenses/MODEL_LICENSES.md": "MODEL_LICENSES.md",
	"onnxruntime/LICENSE":                                  "LICENSE.onnxruntime",
	"onnxruntime/ThirdPartyNotices.txt":                    "NOTICES.onnxruntime",
}

// libraryMember names the library in the wheel of a platform, and tags the
// platform in the words of pip.
var (
	libraryMember = map[string]string{
		"linux/amd64": "libonnxruntime.so.1.32.0", "linux/arm64": "libonnxruntime.so.1.32.0",
		"darwin/arm64": "libonnxruntime.1.32.0.dylib", "windows/amd64": "onnxruntime.dll",
	}
	tags = map[string]string{
		"linux/amd64": "manylinux_2_28_x86_64", "linux/arm64": "manylinux_2_28_aarch64",
		"darwin/arm64": "macosx_14_0_arm64", "windows/amd64": "win_amd64",
	}
)

func platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

// maxMember is the largest file of a wheel that is unpacked.
const maxMember = 128 << 20

// Install unpacks wheels into dir. Each must have one of the hashes of the
// requirements. What dir held before stays until all is in place.
func Install(dir string, wheels []string) error {
	if tags[platform()] == "" {
		return fmt.Errorf("text recognition is not published for %s", platform())
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(dir, "incoming-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh) //nolint:errcheck // what is left of it does no harm
	for _, wheel := range wheels {
		if err := unpack(fresh, wheel); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(wheel), err)
		}
	}
	for _, name := range []string{libraryName(), detection, direction, recognition} {
		_, err := os.Stat(filepath.Join(fresh, name))
		_, had := os.Stat(filepath.Join(dir, name))
		if err != nil && had != nil {
			return fmt.Errorf("%s is missing: install the wheels of rapidocr and of onnxruntime for this platform", name)
		}
	}
	entries, err := os.ReadDir(fresh)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Rename(filepath.Join(fresh, e.Name()), filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// errHash says that a file is not what the requirements name.
var errHash = errors.New("its sha256 is not that of a wheel that this release knows; see docs/deployment.md")

func unpack(dir, wheel string) error {
	f, err := os.Open(wheel)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it is only read
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	if err != nil {
		return err
	}
	if !strings.Contains(requirements, "--hash=sha256:"+hex.EncodeToString(sum.Sum(nil))) {
		return errHash
	}
	z, err := zip.NewReader(f, size)
	if err != nil {
		return err
	}
	for _, member := range z.File {
		name, wanted := members[member.Name]
		if !wanted {
			continue
		}
		if err := extract(member, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

func extract(member *zip.File, path string) error {
	if member.UncompressedSize64 > maxMember {
		return fmt.Errorf("%s is larger than %d bytes", member.Name, maxMember)
	}
	r, err := member.Open()
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // it is only read
	w, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, io.LimitReader(r, maxMember))
	return errors.Join(err, w.Close())
}

// fetchTime bounds what pip may take.
const fetchTime = 3 * time.Minute

// ErrNoPip reports that pip is missing, so that packages cannot be downloaded automatically.
var ErrNoPip = errors.New("pip is not installed")

// Fetch has pip download the wheels for this platform into dir and returns their
// files. Without a network it gives up within seconds.
func Fetch(ctx context.Context, dir string) ([]string, error) {
	pip := pipCommand()
	if pip == nil {
		return nil, ErrNoPip
	}
	list := filepath.Join(dir, "requirements.txt")
	if err := os.WriteFile(list, []byte(requirements), 0o600); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	arguments := append(pip[1:], pipArguments(list, dir)...)
	c := exec.CommandContext(ctx, pip[0], arguments...)
	c.WaitDelay = time.Second
	if out, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("pip: %w: %s", err, lastLine(string(out)))
	}
	return filepath.Glob(filepath.Join(dir, "*.whl"))
}

func pipArguments(list, dir string) []string {
	return []string{
		"download", "--require-hashes", "-r", list, "--dest", dir, "--no-deps", "--only-binary=:all:",
		"--platform", tags[platform()], "--python-version", "3.11", "--implementation", "cp", "--abi", "cp311",
		"--retries", "0", "--timeout", "5", "--quiet", "--no-input", "--disable-pip-version-check",
	}
}

// pipCommand is how pip is called here; nil where it is not.
func pipCommand() []string {
	for _, python := range []string{"python3", "python"} {
		if path, err := exec.LookPath(python); err == nil && exec.Command(path, "-c", "import pip").Run() == nil {
			return []string{path, "-m", "pip"}
		}
	}
	if path, err := exec.LookPath("pip3"); err == nil {
		return []string{path}
	}
	return nil
}

// Command is what a person types on a machine that has pip and a network to get
// the files for this platform.
func Command() string {
	return "pip download --require-hashes -r requirements.txt --no-deps --only-binary=:all: --platform " + tags[platform()] +
		" --python-version 3.11 --implementation cp --abi cp311"
}

// Requirements is the file that Command reads.
func Requirements() string { return requirements }

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}
