package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

// pages measures the pages of the web application with 100,000 invoices in the database, or as many
// as ROWS says. The browser is the one that BROWSER names.
func pages(ctx context.Context) (err error) {
	sizes, err := growthSizes()
	if err != nil {
		return err
	}
	invoices := 100_000
	if os.Getenv("ROWS") != "" {
		invoices = sizes[len(sizes)-1]
	}
	dir, err := os.MkdirTemp("", "docledger-pages-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	g, err := prepareGrowth(ctx, dir, "sqlite:"+filepath.Join(dir, "docledger.db"), invoices)
	if err != nil {
		return err
	}
	defer g.stop()
	script := exec.CommandContext(ctx, "node", "large.mjs")
	script.Dir = "test/suites/browser"
	script.Env = append(os.Environ(), "BASE_URL="+g.base, "LOGIN_EMAIL="+growthEmail, "LOGIN_PASSWORD="+growthPassword)
	script.Stdout, script.Stderr = os.Stdout, os.Stderr
	return script.Run()
}
