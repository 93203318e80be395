// Package secret holds values that must never be read by accident, and the
// port that encrypts what the database keeps of them.
package secret

import (
	"log/slog"
)

// Text is a secret. It redacts itself wherever it is printed, logged or
// marshalled; Reveal is the only way to its value.
type Text struct{ value string }

const redacted = "***"

// New makes a secret of a value.
func New(value string) Text { return Text{value} }

// Reveal returns the value, to be sent to whom it is meant for.
func (t Text) Reveal() string { return t.value }

// Empty says that there is no value.
func (t Text) Empty() bool { return t.value == "" }

// String implements fmt.Stringer.
func (Text) String() string { return redacted }

// GoString implements fmt.GoStringer.
func (Text) GoString() string { return redacted }

// LogValue implements slog.LogValuer.
func (Text) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText keeps the value out of JSON.
func (Text) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// Binding is where a sealed value is kept. What was sealed for one place does
// not open in another, so that rows cannot be exchanged.
type Binding struct {
	Table string
	Row   string // the row's id
}

// Encrypter encrypts what the database keeps. A sealed value names the key that
// sealed it, which is how several keys serve at a time.
type Encrypter interface {
	// Encrypt encrypts with the present key, bound to a place.
	Encrypt(p Binding, plain []byte) ([]byte, error)
	// Decrypt decrypts what Seal made for the same place, with the key it names.
	// An UnknownKeyError in the chain says that this key is not there; any other
	// error that the value was changed, or sealed for another place.
	Decrypt(p Binding, sealed []byte) ([]byte, error)
	// UsesCurrentKey says whether the present key sealed this.
	UsesCurrentKey(sealed []byte) bool
}

// UnknownKeyError names a key that something is sealed with and that the
// installation does not have.
type UnknownKeyError struct{ KeyID string }

// Error implements error.
func (e *UnknownKeyError) Error() string {
	return "the key " + e.KeyID + " is missing from the keyset; add it again to read what it sealed"
}
