package identities

import (
	"context"
	"fmt"
	"strings"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/inbox"
	"docledger/domain/organization"

	"github.com/google/uuid"
)

// keep stores an organization with the provider's current data, under its existing id
// or a new one. It may run before the event of the organization arrives.
func (s *Service) keep(ctx context.Context, p identity.ProviderOrganization) (*organization.Organization, error) {
	o, err := s.Organizations.ByIdentity(ctx, p.ID)
	if fault.CodeOf(err) == fault.CodeNotFound {
		o, err = s.add(ctx, p)
	}
	if err != nil {
		return nil, fmt.Errorf("find organization: %w", err)
	}
	name, stated := nameOf(p), trialOf(p)
	// The data may be older than docledger's own write. Only a current read of the
	// terms may remove a trial (see CurrentTrial).
	trialChanged := stated != nil && !sameTrial(o.Trial, stated)
	inactive := !o.InactiveSince.IsZero()
	if o.Name == name && !trialChanged && !inactive {
		return o, nil
	}
	if inactive {
		if err := s.setInactive(ctx, o.ID, time.Time{}); err != nil {
			return nil, err
		}
	}
	o, err = s.Organizations.Update(ctx, o.ID, func(o *organization.Organization) error {
		o.Name, o.UpdatedAt = name, s.Clock.Now()
		if stated != nil {
			o.Trial = stated
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("store the organization: %w", err)
	}
	if trialChanged {
		s.forgetPlan(ctx, o.ID)
	}
	return o, nil
}

// add stores a new organization. Its trial starts on the day on which the provider
// created it, even if docledger learns of it later.
func (s *Service) add(ctx context.Context, p identity.ProviderOrganization) (*organization.Organization, error) {
	o := &organization.Organization{
		ID: s.IDs.New(), IdentityID: p.ID, Name: nameOf(p), Trial: trialOf(p), CreatedAt: p.CreatedAt, UpdatedAt: s.Clock.Now(),
	}
	err := s.Organizations.Add(ctx, o)
	if fault.CodeOf(err) == fault.CodeConflict {
		return s.Organizations.ByIdentity(ctx, p.ID) // another caller has added it
	}
	return o, err
}

func nameOf(p identity.ProviderOrganization) string {
	if name := strings.TrimSpace(p.Name); name != "" {
		return name
	}
	return p.ID
}

// trialOf returns the terms in the provider's metadata, with the limits of a new
// organization for missing ones; nil without a last day, because that means no trial.
func trialOf(p identity.ProviderOrganization) *organization.Trial {
	expiry, err := calendar.Parse(p.Trial.ExpiryDate)
	if err != nil {
		return nil
	}
	trial := organization.NewTrial(p.CreatedAt)
	trial.Expiry = expiry
	if p.Trial.MaxEntities > 0 {
		trial.MaxEntities = p.Trial.MaxEntities
	}
	if p.Trial.MaxInvoicesPerMonth > 0 {
		trial.MaxInvoicesPerMonth = p.Trial.MaxInvoicesPerMonth
	}
	return &trial
}

func sameTrial(a, b *organization.Trial) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// forgetPlan removes the cached plan. If that fails, the plan expires after five
// minutes.
func (s *Service) forgetPlan(ctx context.Context, id uuid.UUID) {
	if s.Plans == nil {
		return
	}
	if err := s.Plans.Invalidate(ctx, id); err != nil {
		s.Log.WarnContext(ctx, "cached plan not removed", "organization", id, "error", err)
	}
}

// CurrentTrial returns an organization's current terms from the provider, where an
// owner extends a trial (domain D14). If the provider does not respond, it returns
// the last known terms.
func (s *Service) CurrentTrial(ctx context.Context, o *organization.Organization) organization.Trial {
	if o.IdentityID == "" {
		return o.TrialTerms()
	}
	ctx, cancel := context.WithTimeout(ctx, waitTimeout/2)
	defer cancel()
	p, err := s.Directory.Organization(ctx, o.IdentityID)
	if err != nil {
		s.Log.WarnContext(ctx, "trial not read from the identity provider, using last known terms", "organization", o.ID, "error", err)
		return o.TrialTerms()
	}
	trial := trialOf(p)
	if trial == nil && o.Trial != nil {
		trial = &organization.Trial{} // an owner has removed the trial
	}
	if sameTrial(o.Trial, trial) {
		return o.TrialTerms()
	}
	changed, err := s.Organizations.Update(ctx, o.ID, func(o *organization.Organization) error {
		o.Trial, o.UpdatedAt = trial, s.Clock.Now()
		return nil
	})
	if err != nil {
		s.Log.WarnContext(ctx, "trial not stored", "organization", o.ID, "error", err)
		return o.TrialTerms()
	}
	return changed.TrialTerms()
}

// metadataOf returns the provider's metadata for a trial.
func metadataOf(t organization.Trial) identity.TrialMetadata {
	return identity.TrialMetadata{
		ExpiryDate: t.Expiry.String(), MaxEntities: t.MaxEntities, MaxInvoicesPerMonth: t.MaxInvoicesPerMonth,
	}
}

// deactivate makes an organization inactive that the provider has deleted. It erases nothing (domain
// D21).
func (s *Service) deactivate(ctx context.Context, identityID string) error {
	o, err := s.Organizations.ByIdentity(ctx, identityID)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return inbox.ErrIgnored
	}
	if err != nil {
		return fmt.Errorf("find organization: %w", err)
	}
	return s.setInactive(ctx, o.ID, s.Clock.Now())
}

// setInactive stores since when an organization is inactive; zero makes it active. Repeating it
// changes nothing.
func (s *Service) setInactive(ctx context.Context, id uuid.UUID, since time.Time) error {
	kind := event.OrganizationDeactivated
	if since.IsZero() {
		kind = event.OrganizationReactivated
	}
	changed := false
	err := s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		_, err := s.Organizations.Update(ctx, id, func(o *organization.Organization) error {
			if changed = o.InactiveSince.IsZero() != since.IsZero(); changed {
				o.InactiveSince, o.UpdatedAt = since, s.Clock.Now()
			}
			return nil
		})
		if err != nil || !changed {
			return err
		}
		return s.Events.Append(ctx, event.By(identity.System(id), kind, uuid.Nil, event.Subject{Type: event.SubjectOrganization, ID: id}))
	})
	if err != nil {
		return fmt.Errorf("store whether the organization is active: %w", err)
	}
	if changed {
		s.Log.WarnContext(ctx, "organization "+strings.TrimPrefix(string(kind), "organization."), "organization", id)
	}
	return nil
}
