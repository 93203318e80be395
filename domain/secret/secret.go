// Package secret defines values that must never be disclosed by accident, and the
// port that encrypts secrets in the database.
package secret

import (
	"log/slog"
)

// Text is a secret. It prints, logs and marshals as a redacted text. Only Reveal
// returns its value.
type Text struct{ value string }

const redacted = "***"

// New returns a secret with a value.
func New(value string) Text { return Text{value} }

// Reveal returns the value, for the intended recipient only.
func (t Text) Reveal() string { return t.value }

// Empty reports whether there is no value.
func (t Text) Empty() bool { return t.value == "" }

// String implements fmt.Stringer.
func (Text) String() string { return redacted }

// GoString implements fmt.GoStringer.
func (Text) GoString() string { return redacted }

// LogValue implements slog.LogValuer.
func (Text) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText keeps the value out of JSON.
func (Text) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// Binding identifies the record of an encrypted value. A value that was encrypted for
// one record cannot be decrypted for another, so that rows cannot be swapped.
type Binding struct {
	Table string
	Row   string // id of the row
}

// Encrypter encrypts values in the database. An encrypted value contains the id of
// its key, so that several keys can be used at the same time.
type Encrypter interface {
	// Encrypt encrypts with the current key, bound to a record.
	Encrypt(p Binding, plain []byte) ([]byte, error)
	// Decrypt decrypts a value that Encrypt returned for the same record, with the
	// key that it identifies. An UnknownKeyError in the chain reports that this key
	// is missing. Any other error reports that the value was changed or belongs to
	// another record.
	Decrypt(p Binding, sealed []byte) ([]byte, error)
	// UsesCurrentKey reports whether the current key encrypted the value.
	UsesCurrentKey(sealed []byte) bool
}

// UnknownKeyError reports the id of a key that encrypted a value and that the
// installation does not have.
type UnknownKeyError struct{ KeyID string }

// Error implements error.
func (e *UnknownKeyError) Error() string {
	return "the key " + e.KeyID + " is missing from the keyset; add it again to decrypt its values"
}
