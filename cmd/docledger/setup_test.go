package main

import (
	"log/slog"
	"strings"
	"testing"

	"docledger/cmd/service"
)

// TestFirstStartPrintsTheSetupCode expects the code and the address of the page until the first
// user exists.
func TestFirstStartPrintsTheSetupCode(t *testing.T) {
	for name, value := range map[string]string{
		"DOCLEDGER_ENV": "local", "BASE_URL": "http://127.0.0.1:4711", "DATA_DIR": t.TempDir(), "IDENTITY": "local", "BILLING": "none", "PASSWORD_MEMORY_KIB": "8192",
	} {
		t.Setenv(name, value)
	}
	cfg, err := service.Configured()
	if err != nil {
		t.Fatal(err)
	}
	s, err := service.Open(t.Context(), cfg, slog.New(slog.DiscardHandler), service.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	hint := func() string {
		var text strings.Builder
		if err := hintFirstUser(t.Context(), &text, s, cfg); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	if text := hint(); !strings.Contains(text, s.Session.Setup.Code) || !strings.Contains(text, "http://127.0.0.1:4711/setup") {
		t.Errorf("the first start prints %q", text)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if out, err := run(t, "user", "add", "ada@example.com", "--admin", "--new-organization", "Example Ltd"); err != nil {
		t.Fatal(out, err)
	}
	if s, err = service.Open(t.Context(), cfg, slog.New(slog.DiscardHandler), service.Overrides{}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if text := hint(); text != "" {
		t.Errorf("a start with a user prints %q", text)
	}
}
