package integrations

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"docledger/domain/docstore"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/page"
	"docledger/domain/watch"

	"github.com/google/uuid"
)

type browser = docstore.Browser

// Watches follows the places of trigger integrations.
type Watches interface {
	// Wake has the place polled at once, within the caller's transaction.
	Wake(ctx context.Context, i *integration.Integration) error
	// Release takes away the addresses where the store calls for an integration
	// that ends, within the caller's transaction. It returns what the store is
	// to be told.
	Release(ctx context.Context, i *integration.Integration) ([]docstore.Subscription, error)
	// Report tells how far a place was followed; nil before it is set up.
	Report(ctx context.Context, a identity.Actor, i *integration.Integration) (*watch.Report, error)
}

// Sources lists what a trigger integration can watch (interface 4.2, row 8).
func (s *Service) Sources(ctx context.Context, a identity.Actor, id, entityID uuid.UUID, p Part) (page.Of[docstore.Source], error) {
	list, err := browse(ctx, s, a, id, entityID, browser.Sources)
	if err != nil {
		return page.Of[docstore.Source]{}, err
	}
	return cut(list, p, "sources", func(x docstore.Source) string { return x.ID })
}

// SubSources lists what can be watched in a source (interface 4.2, row 9).
func (s *Service) SubSources(
	ctx context.Context, a identity.Actor, id, entityID uuid.UUID, source string, p Part,
) (page.Of[docstore.SubSource], error) {
	list, err := browse(ctx, s, a, id, entityID, func(b browser, ctx context.Context, a integration.Access) ([]docstore.SubSource, error) {
		return b.SubSources(ctx, a, source)
	})
	if err != nil {
		return page.Of[docstore.SubSource]{}, err
	}
	return cut(list, p, "sub-sources "+source, func(x docstore.SubSource) string { return x.ID })
}

// browse reads a list of places. It is not kept: a person who looks for a place
// may have made it a moment ago.
func browse[T any](
	ctx context.Context, s *Service, a identity.Actor, id, entityID uuid.UUID,
	fetch func(browser, context.Context, integration.Access) ([]T, error),
) (list []T, err error) {
	i, err := s.ofEntity(ctx, a, id, entityID)
	if err != nil {
		return nil, err
	}
	if err := i.RequireType(integration.Trigger); err != nil {
		return nil, err
	}
	if err := i.RequireConsent(); err != nil {
		return nil, err
	}
	return browsed(ctx, s, i, fetch)
}

func browsed[T any](
	ctx context.Context, s *Service, i *integration.Integration, fetch func(browser, context.Context, integration.Access) (T, error),
) (found T, err error) {
	b, err := capability[browser](s, i)
	if err != nil {
		return found, err
	}
	err = s.Tokens.With(ctx, i, false, func(ctx context.Context, a integration.Access) error {
		found, err = fetch(b, ctx, a)
		return err
	})
	return found, err
}

// The set-up's keys as requests name them.
const (
	sourceField      = "public_metadata.source_id"
	subSourceField   = "public_metadata.sub_source_id"
	directoriesField = "public_metadata.directories"
)

// trigger reads the metadata over what is there already. A sub-source belongs
// to its source, so that another source needs both.
func (in Setup) trigger(there *integration.TriggerMetadata) (meta integration.TriggerMetadata, err error) {
	if there != nil {
		meta = *there
	}
	var missing []fault.Field
	if in.SourceID != nil {
		meta.Source = *in.SourceID
	} else if there == nil {
		missing = append(missing, fault.Field{Field: sourceField, Reason: "is required"})
	}
	switch {
	case in.SubSourceID != nil:
		meta.SubSource = *in.SubSourceID
	case there == nil || meta.Source != there.Source:
		missing = append(missing, fault.Field{Field: subSourceField, Reason: "is required"})
	}
	if len(missing) > 0 {
		return meta, fault.InvalidFields(missing)
	}
	if in.Directories != nil {
		meta.Directories, err = directoriesOf(*in.Directories)
	}
	return meta, err
}

// directoriesOf brings paths into the form that is compared, each once. The
// place's own folder among them means all of it.
func directoriesOf(paths []string) ([]string, error) {
	if len(paths) > docstore.MaxDirectories {
		return nil, fault.InvalidField(directoriesField, "must be at most %d", docstore.MaxDirectories)
	}
	var clean []string
	for n, path := range paths {
		p, err := docstore.CleanPath(directoryField(n), path)
		if err != nil {
			return nil, err
		}
		if p == "" {
			return nil, nil
		}
		if !slices.Contains(clean, p) {
			clean = append(clean, p)
		}
	}
	return clean, nil
}

func directoryField(n int) string { return fmt.Sprintf("%s[%d]", directoriesField, n) }

// setUpTrigger sets a trigger integration up.
func (s *Service) setUpTrigger(
	ctx context.Context, a identity.Actor, i *integration.Integration, ifVersion int, in Setup,
) (*integration.Integration, error) {
	for field, named := range map[string]bool{
		"public_metadata.organization_id": in.OrganizationID != nil, "public_metadata.pays_tax": in.PaysTax != nil,
	} {
		if named {
			return nil, fault.InvalidField(field, "is for accounting integrations; this one is for %s", i.Provider)
		}
	}
	meta, err := in.trigger(i.Trigger)
	if err != nil {
		return nil, err
	}
	if i.Trigger != nil && i.Status == integration.Active && sameTrigger(*i.Trigger, meta) {
		return i, nil
	}
	reached, err := s.verifyTrigger(ctx, i, meta)
	if err != nil {
		return nil, err
	}
	return s.change(ctx, a, i.ID, ifVersion, event.IntegrationSetUp, func(now *integration.Integration) error {
		if err := now.RequireConsent(); err != nil {
			return err
		}
		if now.GrantID != i.GrantID {
			return connectedAnew() // it was verified with the former consent
		}
		now.Trigger = &meta
		if reached {
			now.Verified()
		} else {
			now.Unverified()
		}
		return nil
	})
}

func sameTrigger(a, b integration.TriggerMetadata) bool {
	return a.Source == b.Source && a.SubSource == b.SubSource && slices.Equal(a.Directories, b.Directories)
}

// verifyTrigger holds a set-up against the store by reading the place. reached
// is false where the store does not answer now.
func (s *Service) verifyTrigger(ctx context.Context, i *integration.Integration, meta integration.TriggerMetadata) (reached bool, err error) {
	err = s.readPlace(ctx, i, meta)
	if outOfReach(err) {
		return false, nil
	}
	return err == nil, err
}

func (s *Service) readPlace(ctx context.Context, i *integration.Integration, meta integration.TriggerMetadata) error {
	inside, err := browsed(ctx, s, i, func(b browser, ctx context.Context, a integration.Access) ([]docstore.SubSource, error) {
		return b.SubSources(ctx, a, meta.Source)
	})
	if err != nil {
		return wrongPlace(err, sourceField, "is none of the sources that the consent reaches; GET /api/v1/integrations/%s/trigger-sources lists them", i.ID)
	}
	if !slices.ContainsFunc(inside, func(x docstore.SubSource) bool { return x.ID == meta.SubSource }) {
		return fault.InvalidField(subSourceField, "is no sub-source of that source; GET /api/v1/integrations/%s/trigger-sources/{sourceId}/sub-sources lists them", i.ID)
	}
	place := docstore.Location{Source: meta.Source, SubSource: meta.SubSource}
	_, err = browsed(ctx, s, i, func(b browser, ctx context.Context, a integration.Access) (docstore.SubSource, error) {
		return b.SubSource(ctx, a, place)
	})
	if err != nil {
		return wrongPlace(err, subSourceField, "is no sub-source of that source")
	}
	paths := meta.Directories
	if len(paths) == 0 {
		paths = []string{""}
	}
	for n, path := range paths {
		found, err := browsed(ctx, s, i, func(b browser, ctx context.Context, a integration.Access) ([]docstore.Item, error) {
			return b.Directories(ctx, a, place, path)
		})
		field := directoryField(n)
		if path == "" {
			field = subSourceField
		}
		if err != nil {
			return wrongPlace(err, field, "names nothing in the place")
		}
		if len(found) == 0 {
			return fault.InvalidField(field, "names no folder of the place")
		}
	}
	return nil
}

// wrongPlace names the field of a place that is not there, or that the account
// may not read.
func wrongPlace(err error, field, format string, args ...any) error {
	switch {
	case errors.Is(err, docstore.ErrDenied):
		return fault.InvalidField(field, "names what the account that consented may not read; have access given to it, or connect with another account").WithCause(err)
	case fault.CodeOf(err) == fault.CodeNotFound:
		return fault.InvalidField(field, format, args...).WithCause(err)
	}
	return err
}

// MarkAccessLost marks an integration whose place is gone or may no longer be read.
func (s *Service) MarkAccessLost(ctx context.Context, i *integration.Integration) error {
	_, err := s.change(ctx, identity.System(i.OrganizationID), i.ID, 0, "", func(now *integration.Integration) error {
		if now.Status != integration.Active {
			return errUnchanged
		}
		now.Fail(integration.AccessLost)
		return nil
	})
	return unlessUnchanged(err)
}

// MarkAccessRestored heals an integration whose place can be read again.
func (s *Service) MarkAccessRestored(ctx context.Context, i *integration.Integration) error {
	_, err := s.change(ctx, identity.System(i.OrganizationID), i.ID, 0, "", func(now *integration.Integration) error {
		if now.Status != integration.Failed || now.Reason != integration.AccessLost {
			return errUnchanged
		}
		now.Verified()
		return nil
	})
	return unlessUnchanged(err)
}

func unlessUnchanged(err error) error {
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}
