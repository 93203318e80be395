// Package webhook defines outgoing webhooks and their deliveries (domain D17).
package webhook

import (
	"slices"
	"strings"
	"time"

	"docledger/domain/event"
	"docledger/domain/secret"

	"github.com/google/uuid"
)

// The limits of webhooks (domain D17).
const (
	// MaxPerOrganization is the number of webhooks that an organization can have.
	MaxPerOrganization = 10
	// SecretOverlap is how long the secret before a rotation still signs.
	SecretOverlap = 24 * time.Hour
	// MaxFormerSecrets is the number of former secrets that sign, so that the header
	// of the signatures stays short. Beyond it the oldest one ends early.
	MaxFormerSecrets = 20
	// MaxFailing is the time without a success after which a failed attempt disables
	// the webhook.
	MaxFailing = 5 * 24 * time.Hour
	// Timeout limits one attempt.
	Timeout = 10 * time.Second
	// DeliveryRetention is how long deliveries are kept after the last change.
	DeliveryRetention = 30 * 24 * time.Hour
)

// SecretPrefix begins every secret (Standard Webhooks). The rest is base64.
const SecretPrefix = "whsec_"

// retryDelays are the delays before each attempt, counted from the one before it.
var retryDelays = []time.Duration{
	0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 10 * time.Hour,
}

// MaxAttempts is the number of attempts of one delivery.
func MaxAttempts() int { return len(retryDelays) }

// AllTypes is the entry of Types that selects every event.
const AllTypes = "*"

// Webhook is an address that receives events of an organization.
type Webhook struct {
	ID             uuid.UUID
	OrganizationID uuid.UUID
	URL            string
	// Types are types of events, groups such as `invoice.*`, or AllTypes.
	Types     []string
	EntityIDs []uuid.UUID // nil: every event, those without an entity included
	Enabled   bool
	// FailingSince is the first failed attempt since the last success; zero if there
	// is none.
	FailingSince time.Time
	// ResumeAt is the end of the pause after an attempt without a response; zero if
	// there is none. It keeps receivers that do not respond from using all workers.
	ResumeAt time.Time
	// DisabledAt is when failures disabled the webhook; zero if they did not.
	DisabledAt time.Time
	Secret     secret.Text
	// Former are the secrets before the last rotations, the newest first.
	Former    []FormerSecret
	CreatedBy uuid.UUID
	CreatedAt time.Time
	UpdatedAt time.Time
	// Cursor is the last event that was considered.
	Cursor event.Place
}

// FormerSecret is a secret that a rotation replaced. It signs until Until.
type FormerSecret struct {
	Secret secret.Text
	Until  time.Time
}

// Wants reports whether the webhook receives an event.
func (w *Webhook) Wants(e *event.Event) bool {
	if w.EntityIDs != nil && !slices.Contains(w.EntityIDs, e.EntityID) {
		return false
	}
	return slices.ContainsFunc(w.Types, func(t string) bool { return matches(t, string(e.Type)) })
}

func matches(pattern, name string) bool {
	if group, ok := strings.CutSuffix(pattern, AllTypes); ok {
		return strings.HasPrefix(name, group)
	}
	return pattern == name
}

// ValidType reports whether an entry of Types selects at least one event of this
// release.
func ValidType(pattern string) bool {
	if before, ok := strings.CutSuffix(pattern, AllTypes); ok && before != "" && !strings.HasSuffix(before, ".") {
		return false
	}
	return slices.ContainsFunc(event.Types(), func(t event.Type) bool { return matches(pattern, string(t)) })
}

// SigningSecrets returns the secrets that sign at a time, the current one first.
func (w *Webhook) SigningSecrets(now time.Time) []secret.Text {
	secrets := []secret.Text{w.Secret}
	for _, former := range w.Former {
		if now.Before(former.Until) {
			secrets = append(secrets, former.Secret)
		}
	}
	return secrets
}

// Rotate replaces the secret. The current one still signs for SecretOverlap, and each
// earlier one until its own end: a receiver that missed the last rotation accepts
// requests too.
func (w *Webhook) Rotate(next secret.Text, now time.Time) {
	former := []FormerSecret{{Secret: w.Secret, Until: now.Add(SecretOverlap)}}
	for _, f := range w.Former {
		if now.Before(f.Until) && len(former) < MaxFormerSecrets {
			former = append(former, f)
		}
	}
	w.Former, w.Secret, w.UpdatedAt = former, next, now
}

// Enable sets whether the webhook receives events. Enabling it ends the count of
// failures. It reports whether the webhook was enabled by this call.
func (w *Webhook) Enable(enabled bool) (started bool) {
	started = enabled && !w.Enabled
	w.Enabled = enabled
	if started {
		w.FailingSince, w.ResumeAt, w.DisabledAt = time.Time{}, time.Time{}, time.Time{}
	}
	return started
}

// The limits of the pause after an attempt without a response.
const (
	minPause = Timeout / 2
	maxPause = 5 * time.Minute
)

// Note records the result of an attempt. It reports whether the failures have now
// disabled the webhook.
func (w *Webhook) Note(r Result, now time.Time) (disabled bool) {
	w.ResumeAt = time.Time{}
	if r.Succeeded() {
		w.FailingSince = time.Time{}
		return false
	}
	if w.FailingSince.IsZero() {
		w.FailingSince = now
	}
	failing := now.Sub(w.FailingSince)
	if r.Status == 0 {
		w.ResumeAt = now.Add(min(max(minPause, failing/10), maxPause))
	}
	if !w.Enabled || failing < MaxFailing {
		return false
	}
	w.Enabled, w.DisabledAt, w.UpdatedAt = false, now, now
	return true
}
