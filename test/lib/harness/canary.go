package harness

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// leaks are patterns of data that no log line may contain: a signed token, a
// bearer header, and the body of an event.
var leaks = regexp.MustCompile(`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}|[Bb]earer [A-Za-z0-9._-]{16,}|\\?"object\\?": ?\\?"event\\?"`)

// canary forwards log lines. It fails the test if a line contains a secret.
type canary struct {
	t       testing.TB
	next    io.Writer
	secrets []string

	mu    sync.Mutex
	found []string
}

func newCanary(t testing.TB, next io.Writer, env map[string]string) *canary {
	c := &canary{t: t, next: next, secrets: []string{Password, ProviderPassword, ProviderSecretKey, ProviderSigningSecret}}
	for name, value := range env {
		if !strings.Contains(name, "SECRET") && !strings.Contains(name, "KEYS") {
			continue
		}
		for part := range strings.SplitSeq(value, ",") {
			if len(part) >= 8 { // shorter ones occur by chance
				c.secrets = append(c.secrets, part)
			}
		}
	}
	return c
}

// Write implements io.Writer.
func (c *canary) Write(line []byte) (int, error) {
	text := string(line)
	if leaks.MatchString(text) || slices.ContainsFunc(c.secrets, func(s string) bool { return strings.Contains(text, s) }) {
		c.mu.Lock()
		c.found = append(c.found, text)
		c.mu.Unlock()
	}
	if c.next == nil {
		return len(line), nil
	}
	return c.next.Write(line)
}

// report fails the test if a line contained a secret. Call it after the service
// has ended.
func (c *canary) report() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, line := range c.found {
		c.t.Errorf("a log line holds a secret, a token or the body of an event: %s", line)
	}
}
