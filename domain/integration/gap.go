package integration

import (
	"fmt"
	"slices"
)

// Capability is an optional ability of an integration. Without it everything else works.
type Capability string

// The capabilities.
const (
	Notifications Capability = "notifications" // the document store announces changes
	Attachments   Capability = "attachments"   // bills have the original attached
)

// Gap is a capability that an integration does not have at present, for people.
type Gap struct {
	Capability Capability
	Reason     string
	Remedy     string
}

// AttachmentGap returns the gap of a consent without the scope for attachments; ok is false if the
// consent allows them, or if the provider does not say what it granted.
func (d Descriptor) AttachmentGap(granted []string) (gap Gap, ok bool) {
	if d.AttachmentScope == "" || granted == nil || slices.Contains(granted, d.AttachmentScope) {
		return Gap{}, false
	}
	return Gap{
		Capability: Attachments,
		Reason:     fmt.Sprintf("The consent does not include the scope %s. Bills are created without the original.", d.AttachmentScope),
		Remedy:     "The operator configures the scope, and a person connects the integration again.",
	}, true
}

// NotificationGap returns the gap of a document store that refuses to announce changes. says is its
// explanation; it may be "".
func (d Descriptor) NotificationGap(code, says string) Gap {
	if says == "" {
		says = code
	}
	return Gap{
		Capability: Notifications,
		Reason:     fmt.Sprintf("The document store refuses to announce changes (%s). New files are found by polling, and none is lost.", says),
		Remedy:     d.NotificationsRemedy,
	}
}
