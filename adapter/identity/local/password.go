package local

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/sync/semaphore"
)

// Cost is the cost of one argon2id hash (RFC 9106).
type Cost struct {
	MemoryKiB uint32
	Passes    uint32
	Threads   uint8
}

// DefaultCost is the second recommended set of the OWASP password storage
// guidance: 19 MiB, two passes, one thread.
var DefaultCost = Cost{MemoryKiB: 19 * 1024, Passes: 2, Threads: 1}

const (
	saltBytes = 16
	hashBytes = 32
	// parallel limits concurrent hash computations, and so the memory that a flood of sign-ins can
	// use.
	parallel = 2
	// maxMemoryKiB limits the memory that a stored hash may require, in KiB.
	maxMemoryKiB = 256 * 1024
)

// Passwords hashes passwords with argon2id.
type Passwords struct {
	cost  Cost
	slots *semaphore.Weighted
	decoy string
}

// NewPasswords returns Passwords of the given cost.
func NewPasswords(cost Cost) (*Passwords, error) {
	random := make([]byte, saltBytes+hashBytes)
	if _, err := rand.Read(random); err != nil {
		return nil, fmt.Errorf("make salt: %w", err)
	}
	// A check against the decoy costs what its parameters say, so that no hash needs
	// to be computed for it.
	decoy := encode(cost, random[:saltBytes], random[saltBytes:])
	return &Passwords{cost: cost, slots: semaphore.NewWeighted(parallel), decoy: decoy}, nil
}

// Hash returns a salted hash in PHC notation.
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	release, err := p.slot(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	salt := make([]byte, saltBytes)
	if _, err := rand.Read(salt); err != nil {
		return "", fmt.Errorf("make salt: %w", err)
	}
	sum := argon2.IDKey([]byte(password), salt, p.cost.Passes, p.cost.MemoryKiB, p.cost.Threads, hashBytes)
	return encode(p.cost, salt, sum), nil
}

// Matches reports whether the hash was made from the password. An empty hash matches nothing and
// takes as long to check as any other.
func (p *Passwords) Matches(ctx context.Context, hash, password string) (bool, error) {
	known := hash != ""
	if !known {
		hash = p.decoy
	}
	cost, salt, want, err := decode(hash)
	if err != nil {
		return false, err
	}
	release, err := p.slot(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	got := argon2.IDKey([]byte(password), salt, cost.Passes, cost.MemoryKiB, cost.Threads, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1 && known, nil
}

// slot waits until a hash may be computed. It returns an error if ctx ends first,
// also if a slot is free: the result would have no receiver.
func (p *Passwords) slot(ctx context.Context) (release func(), err error) {
	if err := p.slots.Acquire(ctx, 1); err != nil {
		return nil, fmt.Errorf("wait to hash: %w", err)
	}
	if err := ctx.Err(); err != nil {
		p.slots.Release(1)
		return nil, fmt.Errorf("wait to hash: %w", err)
	}
	return func() { p.slots.Release(1) }, nil
}

// encode returns a hash in PHC notation.
func encode(c Cost, salt, sum []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
		c.MemoryKiB, c.Passes, c.Threads, b64.EncodeToString(salt), b64.EncodeToString(sum))
}

// decode parses a hash in PHC notation.
func decode(hash string) (c Cost, salt, sum []byte, err error) {
	malformed := errors.New("stored password hash is malformed")
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return c, nil, nil, malformed
	}
	var version int
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil || version != argon2.Version {
		return c, nil, nil, malformed
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.MemoryKiB, &c.Passes, &c.Threads); err != nil {
		return c, nil, nil, malformed
	}
	salt, err1 := base64.RawStdEncoding.DecodeString(parts[4])
	sum, err2 := base64.RawStdEncoding.DecodeString(parts[5])
	if err1 != nil || err2 != nil || len(sum) == 0 || c.Passes == 0 || c.Threads == 0 || c.MemoryKiB > maxMemoryKiB {
		return c, nil, nil, malformed
	}
	return c, salt, sum, nil
}
