package storetest

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/domain/billing"
	"docledger/domain/entity"
	"docledger/domain/idempotency"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

func testUsage(t *testing.T, b *bench) {
	organization := b.organization(t).OrganizationID
	usage := b.Usage()
	march := billing.Use{Organization: organization, Counter: billing.Invoices, Period: "2026-03"}
	two, none := 2, 0
	take := func(limit *int, want bool) {
		t.Helper()
		got, err := usage.Take(b.ctx, march, limit)
		must(t, err)
		if got != want {
			t.Errorf("took: %t", got)
		}
	}
	used := func(period string, want int) {
		t.Helper()
		n, err := usage.Used(b.ctx, organization, billing.Invoices, period)
		must(t, err)
		if n != want {
			t.Errorf("used in %q: %d, want %d", period, n, want)
		}
	}
	used("2026-03", 0)
	take(&none, false)
	take(&two, true)
	take(&two, true)
	take(&two, false)
	take(nil, true)
	used("2026-03", 3)
	used("2026-04", 0)
	err := b.InTx(b.ctx, func(ctx context.Context) error {
		_, err := usage.Take(ctx, march, nil)
		must(t, err)
		return errStop
	})
	if err != errStop {
		t.Error(err)
	}
	used("2026-03", 3)
	for range 5 {
		must(t, usage.GiveBack(b.ctx, organization, billing.Invoices, "2026-03"))
	}
	used("2026-03", 0)
	must(t, usage.GiveBack(b.ctx, organization, billing.Entities, ""))
}

func testIdempotency(t *testing.T, b *bench) {
	keys := b.Idempotency()
	k := idempotency.Key{OrganizationID: b.organization(t).OrganizationID, Credential: "c", Operation: "o", Key: strings.Repeat("k", idempotency.MaxKey)}
	other := k
	other.Credential = "d"
	begin := func(k idempotency.Key, print string, at time.Time, want idempotency.State) idempotency.Claim {
		t.Helper()
		claim, err := keys.Begin(b.ctx, k, print, at)
		must(t, err)
		if claim.State != want {
			t.Errorf("state %v, want %v", claim.State, want)
		}
		return claim
	}
	first := begin(k, "f", b.at, idempotency.Started)
	begin(k, "f", b.at.Add(idempotency.Lease-time.Second), idempotency.Running)
	begin(other, "f", b.at, idempotency.Started)
	must(t, keys.Abandon(b.ctx, k, first.Owner))
	begin(k, "another request", b.at, idempotency.Other)
	second := begin(k, "f", b.at, idempotency.Started)
	must(t, keys.Extend(b.ctx, k, second.Owner, b.at.Add(time.Minute)))
	begin(k, "f", b.at.Add(idempotency.Lease), idempotency.Running) // its owner is active
	third := begin(k, "", b.at.Add(time.Minute+idempotency.Lease), idempotency.Started)
	if second.Reserved != first.Reserved || third.Reserved != first.Reserved || third.Owner == second.Owner {
		t.Errorf("claims %+v, %+v, %+v", first, second, third)
	}
	must(t, keys.Finish(b.ctx, k, second.Owner, idempotency.Answer{Fingerprint: "late"}, b.at))
	must(t, keys.Abandon(b.ctx, k, second.Owner))
	want := idempotency.Answer{Fingerprint: "f", Body: []byte{0, 1, 0xff}, ETag: `"1"`}
	must(t, keys.Finish(b.ctx, k, third.Owner, want, b.at))
	must(t, keys.Finish(b.ctx, k, third.Owner, idempotency.Answer{Fingerprint: "twice"}, b.at))
	must(t, keys.Abandon(b.ctx, k, third.Owner))
	got := begin(k, "f", b.at.Add(idempotency.Lifetime-time.Second), idempotency.Finished).Answer
	if got == nil || got.Fingerprint != want.Fingerprint || !bytes.Equal(got.Body, want.Body) || got.ETag != want.ETag {
		t.Errorf("answer %+v, want %+v", got, want)
	}
	anew := begin(k, "something else", b.at.Add(idempotency.Lifetime), idempotency.Started)
	if anew.Reserved == first.Reserved {
		t.Error("a key that is free again still has the id of its former resource")
	}
	must(t, keys.Expire(b.ctx, b.at.Add(idempotency.Lifetime)))
	begin(other, "g", b.at, idempotency.Started) // expired
	begin(k, "something else", b.at.Add(idempotency.Lifetime), idempotency.Running)
}

// testShares counts the invoices of three entities; a member sees one of them.
func testShares(t *testing.T, b *bench) {
	s, foreign := b.organization(t), b.organization(t)
	member := newID()
	open, closed, other := b.entity(t, s), b.entity(t, s, member), b.entity(t, s, newID())
	const each, limit = 12, 30
	most := limit
	use := func(e *entity.Entity) billing.Use {
		return billing.Use{Organization: e.OrganizationID, Entity: e.ID, Counter: billing.Invoices, Period: "2026-03"}
	}
	atOnce(3*each, func(i int) {
		err := b.InTx(b.ctx, func(ctx context.Context) error {
			ok, err := b.Usage().Take(ctx, use([]*entity.Entity{open, closed, other}[i%3]), &most)
			if err == nil && !ok {
				return errStop
			}
			return err
		})
		if err != nil && err != errStop {
			t.Error(err)
		}
	})
	// Neither counts: one transaction is rolled back, the other belongs to another organization.
	err := b.InTx(b.ctx, func(ctx context.Context) error {
		_, err := b.Usage().Take(ctx, use(open), nil)
		must(t, err)
		return errStop
	})
	if err != errStop {
		t.Error(err)
	}
	_, err = b.Usage().Take(b.ctx, use(b.entity(t, foreign)), nil)
	must(t, err)

	sum := func(shares []billing.Share) (n int) {
		for _, share := range shares {
			n += share.Used
		}
		return n
	}
	shares := func(scope identity.Scope, period string, entities ...uuid.UUID) []billing.Share {
		t.Helper()
		got, err := b.Usage().Shares(b.ctx, scope, billing.Invoices, period)
		must(t, err)
		var of []uuid.UUID
		for _, share := range got {
			of = append(of, share.Entity)
		}
		if !slices.Equal(of, entities) {
			t.Errorf("shares of %v, want %v", of, entities)
		}
		return got
	}
	used, err := b.Usage().Used(b.ctx, s.OrganizationID, billing.Invoices, "2026-03")
	must(t, err)
	whole := shares(s, "2026-03", open.ID, closed.ID, other.ID)
	ofMember := shares(identity.Scope{OrganizationID: s.OrganizationID, Member: member}, "2026-03", open.ID, closed.ID, uuid.Nil)
	ofOthers := shares(identity.Scope{OrganizationID: s.OrganizationID, Member: newID()}, "2026-03", open.ID, uuid.Nil)
	if used != limit || sum(whole) != limit || sum(ofMember) != limit || sum(ofOthers) != limit {
		t.Errorf("%d are counted, the shares are %v, %v and %v", used, whole, ofMember, ofOthers)
	}
	if ofMember[0] != whole[0] || ofMember[1] != whole[1] || ofOthers[0] != whole[0] {
		t.Errorf("a member reads %v and %v, the administrator %v", ofMember, ofOthers, whole)
	}
	shares(s, "2026-04")
	shares(identity.Scope{}, "2026-03")
}
