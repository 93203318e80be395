package docs

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// TestGuideCommandsRun runs the quick start and then every command of the
// guides that calls the sandbox, in page order and in one shell.
func TestGuideCommandsRun(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("the commands of the guides need %s, which is not installed", tool)
		}
	}
	var script strings.Builder
	script.WriteString("SANDBOX_ENV=sandbox.env examples/quickstart.sh > quickstart.txt\n")
	for _, page := range []string{"docs/walkthrough.md", "docs/assistants.md"} {
		for _, block := range shellBlock.FindAllStringSubmatch(read(t, page), -1) {
			script.WriteString(block[1])
		}
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(root, "examples"), filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	sandbox(t, root, dir)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script.String())
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the commands end with %v:\n%s", err, out)
	}
	printed, err := os.ReadFile(filepath.Join(dir, "quickstart.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(read(t, "README.md"), "\n"+string(printed)) {
		t.Errorf("README does not show what the quick start prints:\n%s", printed)
	}
	for _, want := range []string{`"invoice_number":"`, `"class":"Expense"`, `"status":"ACTIVE"`, `"sync":{`, `"state":"DONE"`, `"source":"TRIGGER"`, `"files_ingested":1`, `"filename":"bill-a.xml"`, `"filename":"bill-b.xml"`} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("no %s in what the commands print", want)
		}
	}
	if regexp.MustCompile(`"error":\{"code"`).Match(out) || t.Failed() {
		t.Errorf("the commands print\n%s", out)
	}
}

// sandbox builds and starts a sandbox. It stores the printed values in
// sandbox.env of dir.
func sandbox(t *testing.T, root, dir string) {
	t.Helper()
	binary, values := filepath.Join(dir, "sandbox"), filepath.Join(dir, "sandbox.env")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", binary, "./cmd/sandbox")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the sandbox: %v\n%s", err, out)
	}
	var said bytes.Buffer
	cmd := exec.Command(binary, "--port", "0", "--env-file", values)
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-ended
	})
	deadline, tick := time.After(time.Minute), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(values); err == nil {
			return
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the sandbox ended: %v\n%s", err, said.String())
		case <-deadline:
			t.Fatal("the sandbox is not ready after a minute")
		case <-tick.C:
		}
	}
}
