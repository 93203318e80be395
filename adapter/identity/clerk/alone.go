package clerk

import "context"

// NewVerifier returns a verifier of tokens and the issuer that it believes, for
// a process that knows no secret key. Run loads the keys.
func NewVerifier(o Options) (v *Verifier, issuer string, err error) {
	key, err := ParsePublishableKey(o.PublishableKey)
	if err != nil {
		return nil, "", err
	}
	issuer = key.Origin(o.LoopbackHTTP)
	return newVerifier(o, issuer, newHTTP(o)), issuer, nil
}

// Run keeps the keys fresh until the context ends.
func (v *Verifier) Run(ctx context.Context) { v.keys.run(ctx) }

// Ready says whether tokens can be verified: the keys were loaded once.
func (v *Verifier) Ready() bool { return v.keys.loaded() }
