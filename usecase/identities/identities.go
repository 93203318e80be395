// Package identities brings what the identity provider knows of organizations
// and people into our own records: when they come with a token of its, when
// they sign in with their password, and when it sends an event.
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
	// checkPause is the least time between two questions about one person.
	checkPause = 3 * time.Second
	// checkTimeout bounds one question.
	checkTimeout = 20 * time.Second
	// checkPatience bounds the wait for it while there is an older answer.
	checkPatience = 2 * time.Second
)

// PlanCache forgets plans, because a trial may have changed.
type PlanCache interface {
	Invalidate(ctx context.Context, organization uuid.UUID) error
}

// Service knows people and organizations from the identity provider. It
// implements the provider's side of package session.
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
