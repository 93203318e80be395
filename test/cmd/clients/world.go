package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// world is a running tool server with its dependencies.
type world struct {
	url      string // of the endpoint that clients are given
	entity   string
	clientID string // "" where clients register themselves
	secret   string // "" where the client is public
	person   string // the token of the person who consents; "" where nothing is asked

	sandbox map[string]string
	ends    []func()
}

func (w *world) stop() {
	for i := len(w.ends) - 1; i >= 0; i-- {
		w.ends[i]()
	}
}

// deployed is the sandbox in the configuration of deployed services. Its identity provider omits its
// issuer, which strict clients of the facade need.
func deployed(ctx context.Context, b binaries) (*world, error) {
	return startSandbox(ctx, b, "deployed")
}

// local is the default sandbox. Its OAuth client is confidential.
func local(ctx context.Context, b binaries) (*world, error) {
	w, err := startSandbox(ctx, b, "local")
	if err == nil {
		w.clientID, w.secret = w.sandbox["OAUTH_CLIENT_ID"], w.sandbox["OAUTH_CLIENT_SECRET"]
	}
	return w, err
}

// alone is a process that serves only tools, with MCP_AUTHORIZATION_SERVER. Its
// identity provider states its own issuer (RFC 9207), as the vendor does. The
// sandbox is the API.
func alone(mode string) func(context.Context, binaries) (*world, error) {
	return func(ctx context.Context, b binaries) (*world, error) {
		w, err := startSandbox(ctx, b, "deployed")
		if err != nil {
			return nil, err
		}
		if err := w.serveAlone(ctx, b, mode); err != nil {
			w.stop()
			return nil, err
		}
		return w, nil
	}
}

func (w *world) serveAlone(ctx context.Context, b binaries, mode string) error {
	if err := post(ctx, w.sandbox["IDENTITY_URL"]+"/_sim/settings", `{"omit_issuer":false}`); err != nil {
		return err
	}
	address, err := freeAddress()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, b.service, "serve", "--role", "tools")
	cmd.Env = append(os.Environ(),
		"LISTEN="+address, "BASE_URL=http://"+address, "BACKEND_URL="+w.sandbox["BASE_URL"], "MCP_AUTHORIZATION_SERVER="+mode,
		"IDENTITY=clerk", "IDENTITY_PUBLISHABLE_KEY=pk_test_"+base64.StdEncoding.EncodeToString([]byte(w.sandbox["FAPI_HOST"]+"$")),
		"IDENTITY_URL="+w.sandbox["IDENTITY_URL"], "OAUTH_CLIENT_ID="+w.sandbox["OAUTH_CLIENT_ID"], "LOG_LEVEL=warn")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	w.ends = append(w.ends, func() { end(cmd) })
	w.url, w.clientID = "http://"+address+"/mcp", w.sandbox["OAUTH_CLIENT_ID"]
	return answers(ctx, "http://"+address+"/readyz")
}

// startSandbox starts the sandbox and waits until it has printed all its
// values.
func startSandbox(ctx context.Context, b binaries, environment string) (*world, error) {
	cmd := exec.CommandContext(ctx, b.sandbox, "--port", "0", "--env", environment, "--auto-approve")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the sandbox: %w", err)
	}
	w := &world{sandbox: map[string]string{}, ends: []func(){func() { end(cmd) }}}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), "=")
		w.sandbox[name] = value
		if name == "ENTITY_ID" { // the last one
			go func() { _, _ = io.Copy(io.Discard, out) }()
			w.url, w.entity = w.sandbox["MCP_URL"], value
			return w, nil
		}
	}
	w.stop()
	return nil, errors.New("the sandbox ended before it was ready")
}

// end ends a process like its supervisor.
func end(cmd *exec.Cmd) {
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait()
}

// freeAddress returns an address that a process can listen on.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// answers waits until a page returns 200.
func answers(ctx context.Context, page string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
		if err != nil {
			return err
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s does not respond: %w", page, ctx.Err())
		case <-tick.C:
		}
	}
}

// post sends JSON that must be accepted.
func post(ctx context.Context, page, body string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, page, bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s returns %d", page, resp.StatusCode)
	}
	return nil
}
