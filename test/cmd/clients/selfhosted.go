package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"docledger/test/lib/harness"
	"docledger/test/suites/assistant"
)

// selfHosted is the service with its own accounts. It is its own authorization server,
// and a person consents on its page.
func selfHosted(ctx context.Context, b binaries) (*world, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "docledger-clients-*")
	if err != nil {
		return nil, err
	}
	w := &world{ends: []func(){func() { _ = os.RemoveAll(dir) }}}
	if err := w.serveAccounts(ctx, b, address, dir); err != nil {
		w.stop()
		return nil, err
	}
	return w, nil
}

func (w *world) serveAccounts(ctx context.Context, b binaries, address, dir string) error {
	base := "http://" + address
	env := append(os.Environ(), "LISTEN="+address, "BASE_URL="+base, "DATA_DIR="+dir, "IDENTITY=local", "BILLING=none", "LOG_LEVEL=warn")
	add := exec.CommandContext(ctx, b.service, "user", "add", "ada@example.com", "--admin", "--new-organization", "Sandbox Organization", "--password-stdin")
	add.Env, add.Stdin = env, strings.NewReader(harness.Password+"\n")
	if out, err := add.CombinedOutput(); err != nil {
		return fmt.Errorf("add an account: %w\n%s", err, out)
	}
	cmd := exec.CommandContext(ctx, b.service, "serve")
	cmd.Env, cmd.Stderr = env, os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	w.ends = append(w.ends, func() { end(cmd) })
	if err := answers(ctx, base+"/readyz"); err != nil {
		return err
	}
	var session struct{ Token string }
	if err := assistant.JSON(ctx, "", base+"/api/auth/login", map[string]string{"email": "ada@example.com", "password": harness.Password}, &session); err != nil {
		return err
	}
	var entity struct{ ID string }
	if err := assistant.JSON(ctx, session.Token, base+"/api/entities", map[string]string{"name": "Sandbox Company"}, &entity); err != nil {
		return err
	}
	w.url, w.entity, w.person = base+"/mcp", entity.ID, session.Token
	return nil
}
