// Package restore brings an installation that was restored from a backup back
// to work (domain D23): until its operator resumes it, nothing is booked,
// polled or charged, since what the backup knows may be long past.
package restore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/job"
	"docledger/domain/secret"
	"docledger/usecase"

	"github.com/google/uuid"
)

// atOnce is how many consents are tried at a time.
const atOnce = 4

// Outcome says what became of a consent that was tried.
type Outcome string

// The outcomes.
const (
	Works       Outcome = "WORKS"
	Reconnect   Outcome = "RECONNECT"   // the provider no longer takes it
	Unreachable Outcome = "UNREACHABLE" // the provider gave no answer, and is asked again when it is needed
	KeyMissing  Outcome = "KEY_MISSING" // what seals its tokens is not in the keyset
	Unreadable  Outcome = "UNREADABLE"  // its tokens were damaged, or sealed for another place
)

// GrantCheck is a consent of a provider's account that was tried.
type GrantCheck struct {
	Grant        integration.Grant // without tokens
	Outcome      Outcome
	Detail       string // for people; "" where the outcome says it all
	Integrations []integration.Integration
}

// Service holds work and lets it go on.
type Service struct {
	Holds        job.Pause
	Grants       integration.GrantMaintenance
	Integrations integration.Reader
	// Check renews a consent; see integrations.Tokens.
	Check func(ctx context.Context, organization, grant uuid.UUID) error
	Clock usecase.Clock
}

// Since returns the moment since which work is held; zero where none is.
func (s *Service) Since(ctx context.Context) (time.Time, error) { return s.Holds.Since(ctx) }

// Hold holds all that reaches out to others, in every process that works on the
// database, until Resume.
func (s *Service) Hold(ctx context.Context) error { return s.Holds.Begin(ctx, s.Clock.Now()) }

// Resume tries every consent, since a provider that has given a newer token
// after the backup was made may not take the older one any more, and lets the
// work go on. It returns what became of each, in the order of their ids. Where
// it ends with an error, work is still held.
func (s *Service) Resume(ctx context.Context) ([]GrantCheck, error) {
	var trials []GrantCheck
	err := s.Grants.EachForOperator(ctx, func(g integration.Grant) error {
		trials = append(trials, GrantCheck{Grant: g})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := s.checkAll(ctx, trials); err != nil {
		return nil, err
	}
	return trials, s.Holds.End(ctx, s.Clock.Now())
}

func (s *Service) checkAll(ctx context.Context, trials []GrantCheck) error {
	errs, free := make([]error, len(trials)), make(chan struct{}, atOnce)
	var running sync.WaitGroup
	for n := range trials {
		free <- struct{}{}
		running.Go(func() {
			defer func() { <-free }()
			errs[n] = s.try(ctx, &trials[n])
		})
	}
	running.Wait()
	return errors.Join(errs...)
}

func (s *Service) try(ctx context.Context, t *GrantCheck) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.Outcome, t.Detail = outcomeOf(s.Check(ctx, t.Grant.OrganizationID, t.Grant.ID))
	var err error
	t.Integrations, err = s.Integrations.List(ctx, identity.Scope{OrganizationID: t.Grant.OrganizationID}, integration.Filter{GrantID: t.Grant.ID})
	if err != nil {
		return fmt.Errorf("list integrations: %w", err)
	}
	return nil
}

func outcomeOf(err error) (Outcome, string) {
	var unknown *secret.UnknownKeyError
	f, isFault := fault.As(err)
	switch {
	case err == nil:
		return Works, ""
	case errors.Is(err, integration.ErrReconnect):
		return Reconnect, ""
	case errors.As(err, &unknown):
		return KeyMissing, "put the key " + unknown.KeyID + " back into TOKEN_KEYS"
	case isFault:
		return Unreachable, f.Message
	}
	return Unreadable, "connect it again"
}
