package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// sandbox is a running bin/sandbox.
type sandbox struct {
	cmd    *exec.Cmd
	values map[string]string
	ready  time.Duration
}

func startSandbox(ctx context.Context, dir string) (*sandbox, error) {
	cmd := exec.CommandContext(ctx, "bin/sandbox", "--port", "0", "--data-dir", filepath.Join(dir, "sandbox"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s := &sandbox{cmd: cmd, values: map[string]string{}}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.HasSuffix(lines.Text(), " ready") {
			s.ready = time.Since(began)
		}
		if k, v, ok := strings.Cut(lines.Text(), "="); ok {
			s.values[k] = v
		}
		if s.values["ENTITY_ID"] != "" {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return s, nil
		}
	}
	return nil, errors.Join(errors.New("the sandbox did not get ready"), cmd.Wait())
}

func (s *sandbox) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// sandboxFigures measures the start and an upload that exceeds the memory.
func sandboxFigures(ctx context.Context, dir string) ([]figure, error) {
	s, err := startSandbox(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	token, err := s.login(ctx)
	if err != nil {
		return nil, err
	}
	// The first upload includes the one-time costs of the process.
	if err := s.upload(ctx, token, 1<<20); err != nil {
		return nil, err
	}
	// This measures only the server, while the processes that read PDFs start.
	memory := func() int64 { return resident(s.cmd.Process.Pid) }
	before := memory()
	const size = 200 << 20
	var failed error
	peak := watch(memory, func() error { failed = s.upload(ctx, token, size); return failed })
	if failed != nil {
		return nil, failed
	}
	return []figure{
		{"time until the sandbox is ready", milliseconds(s.ready), "ms", 300, false},
		{"memory that a 200 MB upload adds to the server", float64(peak-before) / million, "MB", 32, false},
	}, nil
}

func (s *sandbox) login(ctx context.Context) (string, error) {
	body, err := json.Marshal(map[string]string{"email": s.values["LOGIN_EMAIL"], "password": s.values["LOGIN_PASSWORD"]})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.values["BASE_URL"]+"/api/auth/login", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var answer struct{ Token string }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || answer.Token == "" {
		return "", errors.Join(fmt.Errorf("sign-in returns %d", resp.StatusCode), err)
	}
	return answer.Token, nil
}

// upload sends size random bytes without holding all of them in the memory of
// this process.
func (s *sandbox) upload(ctx context.Context, token string, size int64) error {
	r, w := io.Pipe()
	form := multipart.NewWriter(w)
	go func() {
		err := form.WriteField("entity_id", s.values["ENTITY_ID"])
		var part io.Writer
		if err == nil {
			part, err = form.CreateFormFile("file", "noise.bin")
		}
		if err == nil {
			_, err = io.CopyN(part, rand.NewChaCha8([32]byte{byte(size >> 20)}), size)
		}
		w.CloseWithError(errors.Join(err, form.Close()))
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.values["BASE_URL"]+"/api/documents/upload", r)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
		return fmt.Errorf("upload returns %d %s", resp.StatusCode, text)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
