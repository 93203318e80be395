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

// Watches manages the watches of trigger integrations.
type Watches interface {
	// Wake requests an immediate poll, within the caller's transaction.
	Wake(ctx context.Context, i *integration.Integration) error
	// Release deletes the subscriptions of an integration that is being disconnected, within the
	// caller's transaction. It returns the subscriptions to remove at the document store.
	Release(ctx context.Context, i *integration.Integration) ([]docstore.Subscription, error)
	// Report returns the state of a watch; nil before setup.
	Report(ctx context.Context, a identity.Actor, i *integration.Integration) (*watch.Report, error)
	// Skipped lists the files that are not ingested.
	Skipped(ctx context.Context, i *integration.Integration, p page.Request) (page.Of[watch.SkippedFile], error)
}

// SkippedFiles lists the files that an integration does not ingest. An integration without a location has
// none.
func (s *Service) SkippedFiles(ctx context.Context, a identity.Actor, id, entityID uuid.UUID, p page.Request) (page.Of[watch.SkippedFile], error) {
	i, err := s.Integrations.Get(ctx, a.Scope(), id)
	if err != nil {
		return page.Of[watch.SkippedFile]{}, err
	}
	if entityID != uuid.Nil && i.EntityID != entityID {
		return page.Of[watch.SkippedFile]{}, fault.Missing("integration")
	}
	return s.Watches.Skipped(ctx, i, p)
}

// Sources lists the sources that a trigger integration can watch (interface 4.2, row 8).
func (s *Service) Sources(ctx context.Context, a identity.Actor, id, entityID uuid.UUID, p Part) (page.Of[docstore.Source], error) {
	list, err := browse(ctx, s, a, id, entityID, browser.Sources)
	if err != nil {
		return page.Of[docstore.Source]{}, err
	}
	return cut(list, p, "sources", func(x docstore.Source) string { return x.ID })
}

// SubSources lists the sub-sources of a source (interface 4.2, row 9).
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

// Folders lists the folders directly inside the folder at a path of a sub-source, so that a person
// can choose the directories of a watch. The path "" is the top of the sub-source.
func (s *Service) Folders(
	ctx context.Context, a identity.Actor, id, entityID uuid.UUID, at docstore.Location, path string, p Part,
) (page.Of[docstore.Folder], error) {
	path, err := docstore.CleanPath("path", path)
	if err != nil {
		return page.Of[docstore.Folder]{}, err
	}
	list, err := browse(ctx, s, a, id, entityID, func(b browser, ctx context.Context, a integration.Access) ([]docstore.Folder, error) {
		// Not every store checks that the sub-source belongs to the source.
		if _, err := b.SubSource(ctx, a, at); err != nil {
			return nil, err
		}
		found, err := b.Folders(ctx, a, at, path)
		if err != nil {
			return nil, err
		}
		return docstore.FoldersOf(found, path), nil
	})
	if err != nil {
		return page.Of[docstore.Folder]{}, err
	}
	return cut(list, p, "folders "+at.Source+" "+at.SubSource+" "+path, func(x docstore.Folder) string { return x.Name })
}

// browse reads a list of locations. The result is not cached, because the user may have just
// created the location.
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

// The field names of the setup in requests.
const (
	sourceField      = "public_metadata.source_id"
	subSourceField   = "public_metadata.sub_source_id"
	directoriesField = "public_metadata.directories"
)

// trigger merges the request into the existing metadata. A sub-source belongs to its source, so a
// change of source requires both.
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

// directoriesOf normalizes paths and removes duplicates. The root folder means the whole location.
func directoriesOf(paths []string) ([]string, error) {
	if len(paths) > docstore.MaxDirectories {
		return nil, fault.InvalidField(directoriesField, "must be at most %d", docstore.MaxDirectories)
	}
	var clean []string
	var wrong fault.Fields
	whole := false
	for n, path := range paths {
		p, err := docstore.CleanPath(directoryField(n), path)
		if err = wrong.Take(err); err != nil {
			return nil, err
		}
		whole = whole || p == ""
		if !slices.Contains(clean, p) {
			clean = append(clean, p)
		}
	}
	switch {
	case len(wrong) > 0:
		return nil, wrong.Err()
	case whole:
		return nil, nil
	}
	return clean, nil
}

func directoryField(n int) string { return fmt.Sprintf("%s[%d]", directoriesField, n) }

// setUpTrigger sets up a trigger integration.
func (s *Service) setUpTrigger(
	ctx context.Context, a identity.Actor, i *integration.Integration, ifVersion int, in Setup,
) (*integration.Integration, error) {
	err := foreign(i, "accounting", map[string]bool{
		"public_metadata.organization_id": in.OrganizationID != nil, "public_metadata.pays_tax": in.PaysTax != nil,
	})
	if err != nil {
		return nil, err
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
			return connectedAnew() // it was verified with the previous consent
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

// verifyTrigger validates a setup by reading the location. reached is false if the document store
// is unreachable.
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
		return wrongPlace(err, sourceField, "is not a source that the consent covers; GET /api/v1/integrations/%s/trigger-sources lists them", i.ID)
	}
	if !slices.ContainsFunc(inside, func(x docstore.SubSource) bool { return x.ID == meta.SubSource }) {
		return fault.InvalidField(subSourceField, "is not a sub-source of that source; GET /api/v1/integrations/%s/trigger-sources/{sourceId}/sub-sources lists them", i.ID)
	}
	place := docstore.Location{Source: meta.Source, SubSource: meta.SubSource}
	_, err = browsed(ctx, s, i, func(b browser, ctx context.Context, a integration.Access) (docstore.SubSource, error) {
		return b.SubSource(ctx, a, place)
	})
	if err != nil {
		return wrongPlace(err, subSourceField, "is not a sub-source of that source")
	}
	paths := meta.Directories
	if len(paths) == 0 {
		paths = []string{""}
	}
	for n, path := range paths {
		found, err := browsed(ctx, s, i, func(b browser, ctx context.Context, a integration.Access) ([]docstore.Item, error) {
			return b.Directories(ctx, a, place, path)
		})
		if path != "" && (fault.CodeOf(err) == fault.CodeNotFound || err == nil && len(found) == 0) {
			continue // it is watched as soon as it exists
		}
		field := directoryField(n)
		if path == "" {
			field = subSourceField
		}
		if err != nil {
			return wrongPlace(err, field, "does not exist in the location")
		}
		if len(found) == 0 {
			return fault.InvalidField(field, "is not a folder of the location")
		}
	}
	return nil
}

// wrongPlace returns a fault that names the field of a location that is missing or forbidden.
func wrongPlace(err error, field, format string, args ...any) error {
	switch {
	case errors.Is(err, docstore.ErrDenied):
		return fault.InvalidField(field, "cannot be read by the account that gave the consent; grant it access, or connect with another account").WithCause(err)
	case fault.CodeOf(err) == fault.CodeNotFound:
		return fault.InvalidField(field, format, args...).WithCause(err)
	}
	return err
}

// MarkAccessLost sets an integration to ERROR if its location is missing or forbidden.
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

// MarkAccessRestored reactivates an integration whose location can be read again.
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
