package storetest

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/organization"
	"docledger/domain/page"

	"github.com/google/uuid"
)

func (b *bench) user(t *testing.T, email string) *identity.User {
	t.Helper()
	u := &identity.User{ID: newID(), Email: email, CreatedAt: b.at, UpdatedAt: b.at}
	must(t, b.Users().Add(b.ctx, u))
	return u
}

func testOrganizations(t *testing.T, b *bench) {
	first := filled[organization.Organization]()
	must(t, b.Organizations().Add(b.ctx, &first))
	got, err := b.Organizations().ByID(b.ctx, first.ID)
	must(t, err)
	same(t, "what was stored", *got, first)
	other := filled[organization.Organization]()
	other.IdentityID, other.CreatedAt = "", first.CreatedAt.Add(time.Hour)
	wantCode(t, b.Organizations().Add(b.ctx, &other), fault.CodeConflict)
	other.PaymentCustomerID = ""
	must(t, b.Organizations().Add(b.ctx, &other))
	third := b.organization(t) // a second one without ids of third parties

	several, err := b.Organizations().ByIDs(b.ctx, []uuid.UUID{first.ID, other.ID, newID()})
	must(t, err)
	if len(several) != 2 {
		t.Errorf("by ids: %d organizations", len(several))
	}
	all, err := b.Organizations().ForOperator(b.ctx)
	must(t, err)
	if len(all) != 3 || all[0].ID != first.ID || all[2].ID != third.OrganizationID {
		t.Errorf("for the operator: %+v", all)
	}
}

func testAccounts(t *testing.T, b *bench) {
	if any, err := b.Users().Any(b.ctx); any || err != nil {
		t.Errorf("users before the first: %t, %v", any, err)
	}
	u := filled[identity.User]()
	u.IdentityID = ""
	must(t, b.InTx(b.ctx, func(ctx context.Context) error { return b.Users().AddFirst(ctx, &u) }))
	second := &identity.User{ID: newID(), Email: "second@example.com", CreatedAt: b.at, UpdatedAt: b.at}
	wantCode(t, b.InTx(b.ctx, func(ctx context.Context) error { return b.Users().AddFirst(ctx, second) }), fault.CodeConflict)
	if any, err := b.Users().Any(b.ctx); !any || err != nil {
		t.Errorf("users: %t, %v", any, err)
	}
	for _, find := range []func() (*identity.User, error){
		func() (*identity.User, error) { return b.Users().ByEmail(b.ctx, u.Email) },
		func() (*identity.User, error) { return b.Users().ByID(b.ctx, u.ID) },
	} {
		got, err := find()
		must(t, err)
		same(t, "what was stored", *got, u)
	}
	_, err := b.Users().ByEmail(b.ctx, "unknown@example.com")
	wantCode(t, err, fault.CodeNotFound)
	wantCode(t, b.Users().Add(b.ctx, &identity.User{ID: newID(), Email: u.Email}), fault.CodeConflict)
	known := filled[identity.User]() // from the identity provider, with the same address
	known.Email = u.Email
	must(t, b.Users().Add(b.ctx, &known))
	if got, err := b.Users().ByEmail(b.ctx, u.Email); err != nil || got.ID != u.ID {
		t.Errorf("by address: %+v, %v", got, err)
	}

	changed, err := b.Users().Update(b.ctx, u.ID, func(u *identity.User) error {
		u.Name, u.PasswordHash, u.Disabled, u.PasswordChangedAt = "New", "", false, time.Time{}
		return nil
	})
	must(t, err)
	got, err := b.Users().ByID(b.ctx, u.ID)
	must(t, err)
	same(t, "what was changed", got, changed)
	if got.Name != "New" || got.Disabled || !got.UpdatedAt.After(u.UpdatedAt) {
		t.Errorf("changed to %+v", got)
	}
	_, err = b.Users().Update(b.ctx, u.ID, func(*identity.User) error { return errStop })
	if err != errStop {
		t.Errorf("error %v", err)
	}
	testMemberships(t, b, u.ID)
	testSessions(t, b, u.ID)
	testProviderAccounts(t, b)
}

// testProviderAccounts uses accounts of the identity provider: they may share an address, or have
// none.
func testProviderAccounts(t *testing.T, b *bench) {
	repo := b.Users()
	first := identity.User{ID: newID(), IdentityID: "user_1", Name: "One", Email: "same@example.com", CreatedAt: b.at, UpdatedAt: b.at}
	must(t, repo.Put(b.ctx, &first))
	again := identity.User{ID: newID(), IdentityID: "user_1", Name: "Renamed", CreatedAt: b.at.Add(time.Hour), UpdatedAt: b.at.Add(time.Hour)}
	must(t, repo.Put(b.ctx, &again))
	got, err := repo.ByIdentity(b.ctx, "user_1")
	must(t, err)
	want := first
	want.Name, want.Email, want.UpdatedAt = "Renamed", "", again.UpdatedAt
	same(t, "who was put twice", *got, want)
	if again.ID != first.ID {
		t.Errorf("put again under %s, want %s", again.ID, first.ID)
	}
	_, err = repo.ByIdentity(b.ctx, "user_2")
	wantCode(t, err, fault.CodeNotFound)

	o := organization.Organization{ID: newID(), IdentityID: "org_1", Name: "Linked", CreatedAt: b.at, UpdatedAt: b.at}
	must(t, b.Organizations().Add(b.ctx, &o))
	_, err = repo.Membership(b.ctx, "user_1", "org_1")
	wantCode(t, err, fault.CodeNotFound)
	m := filled[identity.Membership]()
	m.UserID, m.OrganizationID, m.Role = first.ID, o.ID, identity.RoleMember
	must(t, b.Memberships().Put(b.ctx, m))
	found, err := repo.Membership(b.ctx, "user_1", "org_1")
	must(t, err)
	same(t, "the membership", *found, m)

	// Many accounts without an address are all listed.
	for i := range 5 {
		u := identity.User{ID: newID(), IdentityID: "user_without_" + string(rune('a'+i)), CreatedAt: b.at, UpdatedAt: b.at}
		must(t, repo.Put(b.ctx, &u))
		must(t, b.Memberships().Put(b.ctx, identity.Membership{UserID: u.ID, OrganizationID: o.ID, Role: identity.RoleMember}))
	}
	listed := pages(t, 2, func(p page.Request) (page.Of[identity.Member], error) { return b.Memberships().List(b.ctx, o.ID, p) })
	if len(listed) != 6 {
		t.Errorf("%d members listed, want 6", len(listed))
	}
}

func testMemberships(t *testing.T, b *bench, user uuid.UUID) {
	repo := b.Memberships()
	var scopes []identity.Scope
	for i := range 3 {
		s := b.organization(t)
		scopes = append(scopes, s)
		must(t, repo.Put(b.ctx, identity.Membership{
			UserID: user, OrganizationID: s.OrganizationID, Role: identity.RoleMember, CreatedAt: b.at.Add(time.Duration(i) * time.Hour),
		}))
	}
	must(t, repo.Put(b.ctx, identity.Membership{
		UserID: user, OrganizationID: scopes[2].OrganizationID, Role: identity.RoleAdmin, LastUsedAt: b.at,
	}))
	all, err := repo.OfUser(b.ctx, user)
	must(t, err)
	want := []uuid.UUID{scopes[2].OrganizationID, scopes[0].OrganizationID, scopes[1].OrganizationID}
	for i, m := range all {
		if len(all) != 3 || m.OrganizationID != want[i] {
			t.Fatalf("memberships %+v, want those of %v", all, want)
		}
	}
	m, err := repo.Find(b.ctx, user, scopes[2].OrganizationID)
	must(t, err)
	if m.Role != identity.RoleAdmin || !m.LastUsedAt.Equal(b.at) || !m.CreatedAt.Equal(b.at.Add(2*time.Hour)) {
		t.Errorf("membership %+v", m)
	}

	organization := scopes[0].OrganizationID
	for _, email := range []string{"b@example.com", "a@example.com", "c@example.com"} {
		must(t, repo.Put(b.ctx, identity.Membership{UserID: b.user(t, email).ID, OrganizationID: organization, Role: identity.RoleAdmin}))
	}
	members, err := repo.OfOrganization(b.ctx, organization)
	must(t, err)
	paged := pages(t, 2, func(p page.Request) (page.Of[identity.Member], error) { return repo.List(b.ctx, organization, p) })
	if !reflect.DeepEqual(members, paged) || len(members) != 4 || members[0].User.Email != "a@example.com" || members[0].Role != identity.RoleAdmin {
		t.Errorf("members %+v, in pages %+v", members, paged)
	}
	for range 2 {
		must(t, repo.Remove(b.ctx, user, organization))
	}
	_, err = repo.Find(b.ctx, user, organization)
	wantCode(t, err, fault.CodeNotFound)
}

func testSessions(t *testing.T, b *bench, user uuid.UUID) {
	here, there := b.organization(t), b.organization(t)
	repo := b.Sessions()
	session := identity.Session{ID: newID(), UserID: user, OrganizationID: here.OrganizationID, ClientID: "client_1", CreatedAt: b.at, ExpiresAt: b.at.Add(time.Hour)}
	must(t, repo.Add(b.ctx, session))
	changed, err := repo.Update(b.ctx, session.ID, func(x *identity.Session) error {
		x.OrganizationID = there.OrganizationID
		x.Refresh(0, b.at.Add(time.Second))
		x.Refresh(1, b.at.Add(2*time.Second))
		return nil
	})
	must(t, err)
	if changed.Generation != 2 || len(changed.Superseded) != 2 || changed.OrganizationID != there.OrganizationID {
		t.Errorf("changed to %+v", changed)
	}
	must(t, b.Memberships().Put(b.ctx, identity.Membership{
		UserID: user, OrganizationID: here.OrganizationID, Role: identity.RoleAdmin, CheckedAt: b.at,
	}))
	got, err := repo.Access(b.ctx, session.ID, here.OrganizationID)
	must(t, err)
	want := identity.SessionAccess{Session: *changed, Role: identity.RoleAdmin, CheckedAt: b.at}
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("access %+v, want %+v", *got, want)
	}
	if got, err = repo.Access(b.ctx, session.ID, there.OrganizationID); err != nil || got.Role != "" {
		t.Errorf("access without a membership %+v, %v", got, err)
	}
	refused := errors.New("no")
	if _, err = repo.Update(b.ctx, session.ID, func(x *identity.Session) error { x.Generation = 9; return refused }); !errors.Is(err, refused) {
		t.Errorf("a change that fails: %v", err)
	}
	_, err = repo.Update(b.ctx, newID(), func(*identity.Session) error { return nil })
	wantCode(t, err, fault.CodeNotFound)

	for range 4 {
		must(t, repo.Add(b.ctx, identity.Session{ID: newID(), UserID: user, OrganizationID: here.OrganizationID, CreatedAt: b.at, ExpiresAt: b.at.Add(2 * time.Hour)}))
	}
	list := func(now time.Time) []identity.Session {
		return pages(t, 2, func(p page.Request) (page.Of[identity.Session], error) { return repo.OfUser(b.ctx, user, now, p) })
	}
	if all := list(b.at); len(all) != 5 || !reflect.DeepEqual(all[4], *changed) {
		t.Errorf("sessions %+v", all)
	}
	if late := list(session.ExpiresAt); len(late) != 4 {
		t.Errorf("%d sessions once one has expired, want 4", len(late))
	}
	must(t, repo.Expire(b.ctx, session.ExpiresAt.Add(-time.Second)))
	end := func(f identity.SessionFilter, want int) {
		t.Helper()
		ended, err := repo.End(b.ctx, f)
		must(t, err)
		if len(ended) != want {
			t.Errorf("%+v ended %d sessions, want %d", f, len(ended), want)
		}
	}
	end(identity.SessionFilter{UserID: newID(), ID: session.ID}, 0)
	end(identity.SessionFilter{UserID: user, OrganizationID: there.OrganizationID}, 1)
	end(identity.SessionFilter{UserID: user, ID: list(b.at)[0].ID}, 1)
	end(identity.SessionFilter{UserID: user}, 3)
	_, err = repo.Access(b.ctx, session.ID, here.OrganizationID)
	wantCode(t, err, fault.CodeNotFound)
}

func testAttempts(t *testing.T, b *bench) {
	attempts := b.Attempts()
	window := 15 * time.Minute
	count := func(key string, at time.Time) (int, time.Time) {
		t.Helper()
		n, ends, err := attempts.Count(b.ctx, key, window, at)
		must(t, err)
		return n, ends
	}
	if n, ends := count("a", b.at); n != 1 || !ends.Equal(b.at.Add(window)) {
		t.Errorf("first attempt: %d until %s", n, ends)
	}
	if n, ends := count("a", b.at.Add(window-time.Second)); n != 2 || !ends.Equal(b.at.Add(window)) {
		t.Errorf("second attempt: %d until %s", n, ends)
	}
	if n, _ := count("b", b.at); n != 1 {
		t.Errorf("another key: %d", n)
	}
	if n, ends := count("a", b.at.Add(window)); n != 1 || !ends.Equal(b.at.Add(2*window)) {
		t.Errorf("next window: %d until %s", n, ends)
	}
	if n, ends, err := attempts.Counted(b.ctx, "a", b.at.Add(window)); err != nil || n != 1 || !ends.Equal(b.at.Add(2*window)) {
		t.Errorf("counted: %d until %s, %v", n, ends, err)
	}
	if n, _, err := attempts.Counted(b.ctx, "a", b.at.Add(2*window)); err != nil || n != 0 {
		t.Errorf("counted after the window: %d, %v", n, err)
	}
	var seen []int
	for range 3 {
		must(t, attempts.Change(b.ctx, "c", func(a *identity.Attempt) error {
			seen = append(seen, a.Failures)
			a.Fail(2, b.at)
			return nil
		}))
	}
	refused := errors.New("refused")
	err := attempts.Change(b.ctx, "c", func(a *identity.Attempt) error {
		if a.Failures != 3 || a.Blocked(b.at) != 2*time.Second {
			t.Errorf("after three failures %+v", a)
		}
		a.Failures = 100
		return refused
	})
	if a, err := attempts.Get(b.ctx, "c"); err != nil || a.Failures != 3 || a.Blocked(b.at) != 2*time.Second || !a.EndsAt.After(b.at) {
		t.Errorf("stored: %+v, %v", a, err)
	}
	if a, err := attempts.Get(b.ctx, "unknown"); err != nil || a.Failures != 0 || a.Blocked(b.at) != 0 {
		t.Errorf("an unknown key: %+v, %v", a, err)
	}
	if !errors.Is(err, refused) || !slices.Equal(seen, []int{0, 1, 2}) {
		t.Errorf("the changes saw %v and ended with %v", seen, err)
	}
	must(t, attempts.Forget(b.ctx, "a"))
	if n, _ := count("a", b.at.Add(window)); n != 1 {
		t.Errorf("forgotten: %d", n)
	}
	must(t, attempts.Expire(b.ctx, b.at.Add(window)))
	if n, _ := count("a", b.at.Add(window)); n != 2 {
		t.Errorf("after the clean-up: %d", n)
	}
}
