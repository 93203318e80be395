// Package entities keeps the legal entities of an organization.
package entities

import (
	"context"
	"fmt"
	"strings"

	"docledger/domain/billing"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/usecase"

	"github.com/google/uuid"
)

// Service holds the operations on entities; reading them needs no rule beyond
// the scope, so Get and List are the repository's own.
type Service struct {
	entity.Reader
	Entities    entity.Repository
	Settings    entity.SettingsRepository
	Memberships identity.Memberships
	Events      event.Log
	Plans       billing.Plans
	Usage       billing.Usage
	UnitOfWork  usecase.UnitOfWork
	Clock       usecase.Clock
	IDs         usecase.IDs
}

// Values are the editable values of an entity.
type Values struct {
	Name         string
	LegalName    string
	TaxIDs       []string
	Aliases      []string
	Country      string
	BaseCurrency string
	Access       entity.Access
	DefaultRole  identity.EntityRole
	Members      []entity.Member
	Archived     bool
	LegalHold    bool
}

// ValuesOf returns the editable values of an entity, for a change to start
// from.
func ValuesOf(e *entity.Entity) Values {
	return Values{
		Name: e.Name, LegalName: e.LegalName, TaxIDs: e.TaxIDs, Aliases: e.Aliases, Country: e.Country,
		BaseCurrency: e.BaseCurrency, Access: e.Access, DefaultRole: e.DefaultRole, Members: e.Members, Archived: e.Archived, LegalHold: e.LegalHold,
	}
}

func (v *Values) normalize() error {
	var wrong fault.Fields
	v.Name = strings.TrimSpace(v.Name)
	if v.Name == "" {
		wrong.Add("name", "must not be empty")
	}
	if v.Access == "" {
		v.Access = entity.AccessOrganization
	}
	if v.DefaultRole == identity.NoRole {
		v.DefaultRole = identity.Approver
	}
	seen := map[uuid.UUID]bool{}
	for i, m := range v.Members {
		if seen[m.UserID] {
			wrong.Add(fmt.Sprintf("members[%d].user_id", i), "is listed twice")
		}
		seen[m.UserID] = true
	}
	return wrong.Err()
}

func (v *Values) apply(e *entity.Entity) {
	e.Name, e.LegalName, e.TaxIDs, e.Aliases = v.Name, v.LegalName, v.TaxIDs, v.Aliases
	e.Country, e.BaseCurrency, e.Access, e.DefaultRole = v.Country, v.BaseCurrency, v.Access, v.DefaultRole
	e.Members, e.Archived, e.LegalHold = v.Members, v.Archived, v.LegalHold
}

// people returns the ids of everybody in the organization.
func (s *Service) people(ctx context.Context, organization uuid.UUID) (map[uuid.UUID]bool, error) {
	members, err := s.Memberships.OfOrganization(ctx, organization)
	if err != nil {
		return nil, fmt.Errorf("list members: %w", err)
	}
	people := make(map[uuid.UUID]bool, len(members))
	for _, m := range members {
		people[m.User.ID] = true
	}
	return people, nil
}

// onlyPeople refuses roles for anybody who does not belong to the
// organization.
func onlyPeople(people map[uuid.UUID]bool, members []entity.Member) error {
	var wrong fault.Fields
	for i, m := range members {
		if !people[m.UserID] {
			wrong.Add(fmt.Sprintf("members[%d].user_id", i), "is no member of your organization")
		}
	}
	return wrong.Err()
}

// reserveEntity counts one more entity against the plan, exactly under
// concurrency; within the caller's transaction.
func (s *Service) reserveEntity(ctx context.Context, organization uuid.UUID, plan billing.Plan) error {
	ok, err := s.Usage.Take(ctx, billing.Use{Organization: organization, Counter: billing.Entities}, plan.MaxEntities)
	if err != nil {
		return fmt.Errorf("count entity: %w", err)
	}
	if !ok {
		return billing.ErrLimit(billing.Entities, *plan.MaxEntities)
	}
	return nil
}

func (s *Service) writablePlan(ctx context.Context, organization uuid.UUID) (billing.Plan, error) {
	plan, err := s.Plans.Of(ctx, organization)
	if err != nil {
		return plan, fmt.Errorf("find plan: %w", err)
	}
	if !plan.Writable {
		return plan, billing.ErrInactive(plan)
	}
	return plan, nil
}

func subject(e *entity.Entity) event.Subject {
	return event.Subject{Type: event.SubjectEntity, ID: e.ID, Version: e.Version}
}
