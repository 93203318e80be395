// Command contract tests the running service against its published
// specification with Schemathesis. Schemathesis generates requests from the
// specification and validates the responses: the status, media type, headers
// and body must match, and a 500 is an error. The command uses two
// organizations of the sandbox.
//
//	go run ./test/contract -sandbox bin/sandbox
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// checks are the checks for each response.
const checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,response_headers_conformance"

// elsewhere are paths with credentials of their own, signatures and OAuth, and
// those that end the session of the run.
const elsewhere = `^/webhook|^/authorize|^/token|^/\.well-known|^/register|^/mcp|^/api/auth/logout|^/api/auth/sessions/`

// players are the senders of the requests and the duration of each run.
var players = []struct {
	user, organization string
	examples           int // of each operation, in addition to those that cover the specification
	phases             string
}{
	{"user_ada", "org_sandbox", 200, "examples,coverage,fuzzing,stateful"},
	{"user_bob", "org_other", 40, "coverage,fuzzing"},
}

func main() {
	sandbox := flag.String("sandbox", filepath.Join("bin", "sandbox"), "the sandbox's binary")
	spec := flag.String("spec", filepath.Join("openapi", "docledger.json"), "the specification")
	least := flag.Int("cases", 10_000, "how many requests there must be")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *sandbox, *spec, *least); err != nil {
		fmt.Fprintln(os.Stderr, "contract:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, sandbox, spec string, least int) error {
	tool, err := install(ctx, filepath.Join("test", "contract", "requirements.txt"))
	if err != nil {
		return fmt.Errorf("install Schemathesis: %w", err)
	}
	service, err := start(ctx, sandbox)
	if err != nil {
		return fmt.Errorf("start the sandbox: %w", err)
	}
	defer service.stop()
	total := 0
	for _, p := range players {
		token, err := service.token(ctx, p.user, p.organization)
		if err != nil {
			return fmt.Errorf("get a token of %s: %w", p.user, err)
		}
		fmt.Printf("== as %s of %s\n", p.user, p.organization)
		var said bytes.Buffer
		cmd := exec.CommandContext(ctx, tool, "run", spec, "--url", service.env["BASE_URL"], "--header", "Authorization: Bearer "+token,
			"--workers", "2", "--max-examples", strconv.Itoa(p.examples), "--phases", p.phases, "--checks", checks,
			"--exclude-path-regex", elsewhere, "--continue-on-failure", "--warnings", "off", "--no-color")
		cmd.Stdout, cmd.Stderr = io.MultiWriter(os.Stdout, &said), os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("as %s: %w", p.user, err)
		}
		n, err := generated(said.String())
		if err != nil {
			return err
		}
		total += n
	}
	fmt.Printf("%d requests, every answer as specified\n", total)
	if total < least {
		return fmt.Errorf("there were %d requests, and at least %d must be", total, least)
	}
	return nil
}

var casesLine = regexp.MustCompile(`(\d+) generated`)

// generated returns how many requests a run generated.
func generated(said string) (int, error) {
	match := casesLine.FindStringSubmatch(said)
	if match == nil {
		return 0, errors.New("the run does not say how many requests it made")
	}
	return strconv.Atoi(match[1])
}

// install installs the pinned tool into a separate environment, once for each
// list of pins, and returns its path.
func install(ctx context.Context, requirements string) (string, error) {
	pins, err := os.ReadFile(requirements)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(pins)
	dir := filepath.Join(cache, "docledger", "contract-"+hex.EncodeToString(sum[:6]))
	tool, done := filepath.Join(dir, "bin", "schemathesis"), filepath.Join(dir, "complete")
	if _, err := os.Stat(done); err == nil {
		return tool, nil
	}
	for _, args := range [][]string{
		{"python3", "-m", "venv", "--clear", dir},
		{filepath.Join(dir, "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", "--requirement", requirements},
	} {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("%s: %w", strings.Join(args, " "), err)
		}
	}
	return tool, os.WriteFile(done, nil, 0o600)
}

// running is a running sandbox with its printed values.
type running struct {
	env map[string]string
	cmd *exec.Cmd
}

// start starts the sandbox and waits until it has printed all its values.
func start(ctx context.Context, binary string) (*running, error) {
	cmd := exec.CommandContext(ctx, binary, "--port", "0")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r := &running{env: map[string]string{}, cmd: cmd}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), "=")
		r.env[name] = value
		if name == "ENTITY_ID" { // the last one
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return r, nil
		}
	}
	return nil, errors.Join(errors.New("it ended before it was ready"), cmd.Wait())
}

func (r *running) stop() {
	_ = r.cmd.Process.Signal(os.Interrupt)
	_ = r.cmd.Wait()
}

// token returns the token that a user granted to the OAuth client of the
// sandbox.
func (r *running) token(ctx context.Context, user, organization string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	body, err := json.Marshal(map[string]string{"kind": "oauth", "user_id": user, "organization_id": organization})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.env["IDENTITY_URL"]+"/_sim/tokens", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var answer struct {
		Token string `json:"token"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || answer.Token == "" {
		return "", fmt.Errorf("status %d: %w", resp.StatusCode, errors.Join(errors.New("no token"), err))
	}
	return answer.Token, nil
}
