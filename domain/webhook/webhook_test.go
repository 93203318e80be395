package webhook_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"docledger/domain/secret"
	"docledger/domain/webhook"
)

// TestRotation verifies that each secret signs for SecretOverlap after its own
// rotation, whatever follows, and that the number of signatures has a limit.
func TestRotation(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	w := webhook.Webhook{Secret: secret.New("a")}
	signing := func(at time.Time) (found []string) {
		for _, s := range w.SigningSecrets(at) {
			found = append(found, s.Reveal())
		}
		return found
	}
	w.Rotate(secret.New("b"), start)
	w.Rotate(secret.New("c"), start.Add(time.Hour))
	for after, want := range map[time.Duration][]string{
		time.Hour:                               {"c", "b", "a"},
		webhook.SecretOverlap - 1:               {"c", "b", "a"},
		webhook.SecretOverlap:                   {"c", "b"},
		webhook.SecretOverlap + time.Hour:       {"c"},
		webhook.SecretOverlap + 2*time.Hour - 1: {"c"},
	} {
		if got := signing(start.Add(after)); !slices.Equal(got, want) {
			t.Errorf("%s after the first rotation %v sign, want %v", after, got, want)
		}
	}
	w.Rotate(secret.New("d"), start.Add(webhook.SecretOverlap))
	if len(w.Former) != 2 {
		t.Errorf("%d former secrets are kept, want those that still sign", len(w.Former))
	}
	for i := range 2 * webhook.MaxFormerSecrets {
		w.Rotate(secret.New(fmt.Sprint(i)), start.Add(webhook.SecretOverlap))
	}
	if got := signing(start.Add(webhook.SecretOverlap)); len(got) != webhook.MaxFormerSecrets+1 || got[0] != fmt.Sprint(2*webhook.MaxFormerSecrets-1) {
		t.Errorf("after many rotations %v sign", got)
	}
}
