package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

// testAPIKeyLimit verifies that concurrent calls do not exceed the limit of an
// organization, and that keys which are revoked or expired do not count.
func testAPIKeyLimit(t *testing.T, b *bench) {
	s, other := b.organization(t), b.organization(t)
	add := func(organization uuid.UUID, life time.Duration) (uuid.UUID, error) {
		id := newID()
		return id, b.APIKeys().Add(b.ctx, &identity.APIKey{
			ID: id, OrganizationID: organization, Name: "Import", Role: identity.Viewer, CreatedBy: newID(), CreatedAt: b.at, ExpiresAt: b.at.Add(life),
		}, id.String())
	}
	for range 3 {
		_, err := add(s.OrganizationID, 0)
		must(t, err)
	}
	revoked, err := add(s.OrganizationID, time.Hour)
	must(t, err)
	var added atomic.Int64
	var group sync.WaitGroup
	for range identity.MaxKeysPerOrganization + 3 {
		group.Go(func() {
			switch _, err := add(s.OrganizationID, time.Hour); {
			case err == nil:
				added.Add(1)
			case fault.CodeOf(err) != fault.CodeConflict:
				t.Errorf("a key beyond the limit: %v", err)
			}
		})
	}
	group.Wait()
	same(t, "the number of added keys", fmt.Sprint(added.Load()), fmt.Sprint(identity.MaxKeysPerOrganization-1))
	_, err = add(other.OrganizationID, time.Hour)
	must(t, err)
	_, _, err = b.APIKeys().Revoke(b.ctx, s.OrganizationID, revoked, b.at)
	must(t, err)
	_, err = add(s.OrganizationID, time.Hour)
	must(t, err)
	if _, err = add(s.OrganizationID, time.Hour); fault.CodeOf(err) != fault.CodeConflict {
		t.Errorf("a key beyond the limit after a revocation: %v", err)
	}
}
