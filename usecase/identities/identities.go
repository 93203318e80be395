// Package identities copies users and organizations of the identity provider into
// docledger's records: at the first use of a token, at sign-in with a password, and
// for each event.
package identities

import (
	"context"
	"log/slog"
	"time"

	"docledger/domain/event"
	"docledger/domain/identity"
	"docledger/domain/organization"
	"docledger/usecase"

	"github.com/google/uuid"
)

const (
	// checkPause is the minimum time between two checks of one user.
	checkPause = 3 * time.Second
	// checkTimeout limits one check.
	checkTimeout = 20 * time.Second
	// waitTimeout limits the wait for a check if an older result exists.
	waitTimeout = 2 * time.Second
)

// PlanCache removes cached plans, because a trial may have changed.
type PlanCache interface {
	Invalidate(ctx context.Context, organization uuid.UUID) error
}

// Service manages users and organizations of the identity provider. It implements the
// provider port of package session.
type Service struct {
	Tokens      identity.TokenVerifier
	Directory   identity.OrganizationDirectory
	People      identity.UserDirectory
	Passwords   identity.PasswordChecker
	Accounts    identity.ProviderAccounts
	Users       identity.Users
	Memberships identity.Memberships

	Organizations organization.Repository
	Plans         PlanCache // nil without a payment processor
	Events        event.Log
	UnitOfWork    usecase.UnitOfWork
	Clock         usecase.Clock
	IDs           usecase.IDs
	Log           *slog.Logger

	checks checks
}
