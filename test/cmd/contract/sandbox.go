package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
)

// running is a running sandbox with its printed values.
type running struct {
	env map[string]string
	cmd *exec.Cmd
}

// startSandbox starts the sandbox and waits until it has printed all its values.
func startSandbox(ctx context.Context, binary string) (*running, error) {
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
