// Command changes compares the published specification with that of the last
// release and fails on what would break a caller, unless CHANGELOG.md announces
// it: a line under "### Breaking" of "## Unreleased" that names the operation,
// as in `syncInvoice`.
//
//	go run ./test/cmd/apidiff
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
)

// oasdiff runs outside the modules of this project, because it has many
// dependencies.
const oasdiff = "github.com/oasdiff/oasdiff@v1.37.0"

// change is a finding of oasdiff.
type change struct {
	Rule      string `json:"id"`
	Text      string `json:"text"`
	Operation string `json:"operationId"` // empty for what concerns no single one
	Method    string `json:"operation"`
	Path      string `json:"path"`
}

func main() {
	released := flag.String("released", filepath.Join("openapi", "released", "docledger.json"), "the specification of the last release")
	current := flag.String("current", filepath.Join("openapi", "docledger.json"), "the specification as it is")
	changelog := flag.String("changelog", "CHANGELOG.md", "where breaking changes are announced")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *released, *current, *changelog); err != nil {
		fmt.Fprintln(os.Stderr, "changes:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, released, current, changelog string) error {
	found, err := compare(ctx, released, current)
	if err != nil {
		return err
	}
	said, err := os.ReadFile(changelog)
	if err != nil {
		return err
	}
	silent := unannounced(found, string(said))
	fmt.Printf("%d breaking changes since the last release, %d of them announced\n", len(found), len(found)-len(silent))
	for _, c := range silent {
		fmt.Fprintf(os.Stderr, "%s %s (%s): %s [%s]\n", c.Method, c.Path, c.Operation, c.Text, c.Rule)
	}
	if len(silent) > 0 {
		return fmt.Errorf("keep what callers rely on, or say so under \"### Breaking\" of \"## Unreleased\" in %s, with the operation's name in backticks", changelog)
	}
	return nil
}

// compare returns the changes of the current specification that break callers
// of the released one.
func compare(ctx context.Context, released, current string) ([]change, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", "run", oasdiff, "breaking", released, current, "--format", "json")
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("oasdiff: %w", err)
	}
	var found []change
	if err := json.Unmarshal(out.Bytes(), &found); err != nil {
		return nil, fmt.Errorf("read oasdiff's findings: %w", err)
	}
	return found, nil
}
