package docstore_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/integration"
)

func TestCleanPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"": "", "/": "", "a": "a", "/a/b c/": "a/b c", "Rechnungen/2026": "Rechnungen/2026", "a/..b": "a/..b", "a?b#c%2F": "a?b#c%2F",
	} {
		if got, err := docstore.CleanPath("d", path); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", path, got, err, want)
		}
	}
	for _, path := range []string{"a//b", "../a", "a/./b", "a/..", "a\x00b", "a\nb", strings.Repeat("x", docstore.MaxPath+1)} {
		_, err := docstore.CleanPath("public_metadata.directories[0]", path)
		if f, ok := fault.As(err); !ok || f.Kind != fault.Invalid || !strings.Contains(err.Error(), "public_metadata.directories[0]") {
			t.Errorf("%.20q: %v", path, err)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	lost := fmt.Errorf("wrapped: %w", docstore.CursorLost(integration.DocstoreA, "restart", cause))
	if !errors.Is(lost, docstore.ErrCursorLost) || docstore.Restart(lost) != "restart" || !errors.Is(lost, cause) {
		t.Errorf("lost cursor: %v", lost)
	}
	if docstore.Restart(cause) != "" || errors.Is(cause, docstore.ErrCursorLost) {
		t.Error("another error is a lost cursor")
	}
	for sentinel, err := range map[error]error{
		docstore.ErrDenied:   docstore.Denied(integration.DocstoreB, cause),
		docstore.ErrLocked:   docstore.Locked(integration.DocstoreB, 0, cause),
		docstore.ErrWithheld: docstore.ContentUnavailable(integration.DocstoreB, "it is too large.", cause),
	} {
		if !errors.Is(err, sentinel) || !errors.Is(err, cause) {
			t.Errorf("%v is not %v of its cause", err, sentinel)
		}
	}
	if f, _ := fault.As(docstore.Locked(integration.DocstoreB, 0, nil)); f.RetryAfter <= 0 {
		t.Error("a locked file says no time to come back")
	}
}
