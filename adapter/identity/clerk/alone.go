package clerk

import "context"

// NewVerifier returns a token verifier and the issuer that it accepts, for a process without the
// secret key. Run loads the keys.
func NewVerifier(o Options) (v *Verifier, issuer string, err error) {
	key, err := ParsePublishableKey(o.PublishableKey)
	if err != nil {
		return nil, "", err
	}
	issuer = key.Origin(o.LoopbackHTTP)
	return newVerifier(o, issuer, newHTTP(o)), issuer, nil
}

// Run refreshes the keys until the context ends.
func (v *Verifier) Run(ctx context.Context) { v.keys.Run(ctx) }

// Ready reports whether tokens can be verified: the keys were loaded at least once.
func (v *Verifier) Ready() bool { return v.keys.Loaded() }
