package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"
)

func testTransaction(t *testing.T, b *bench) {
	each(t, b, map[string]func(*testing.T, *bench){
		"commits": testCommit,
		"rolls back an error, which it returns as it is":           testRollback,
		"rolls back and repeats a panic":                           testPanic,
		"reports that a commit did not happen":                     testLostCommit,
		"nested: the inner part alone is rolled back":              testNested,
		"nested: work continues after the inner part broke a rule": testNestedConflict,
		"a statement outside of it is not part of it":              testForgotten,
	})
}

func testCommit(t *testing.T, b *bench) {
	var s identity.Scope
	must(t, b.InTx(b.ctx, func(ctx context.Context) error {
		s = b.inside(ctx).organization(t)
		return nil
	}))
	_, err := b.Organizations().ByID(b.ctx, s.OrganizationID)
	must(t, err)
}

func testRollback(t *testing.T, b *bench) {
	var s identity.Scope
	err := b.InTx(b.ctx, func(ctx context.Context) error {
		s = b.inside(ctx).organization(t)
		return errStop
	})
	if err != errStop {
		t.Errorf("error %v", err)
	}
	b.wantNone(t, s)
}

func testPanic(t *testing.T, b *bench) {
	var s identity.Scope
	func() {
		defer func() {
			if recover() != "boom" {
				t.Error("the panic was lost")
			}
		}()
		_ = b.InTx(b.ctx, func(ctx context.Context) error {
			s = b.inside(ctx).organization(t)
			panic("boom")
		})
	}()
	b.wantNone(t, s)
}

func testLostCommit(t *testing.T, b *bench) {
	ctx, cancel := context.WithCancel(b.ctx)
	defer cancel()
	var s identity.Scope
	err := b.InTx(ctx, func(ctx context.Context) error {
		s = b.inside(ctx).organization(t)
		cancel()
		return nil
	})
	if err == nil {
		t.Error("no error")
	}
	b.wantNone(t, s)
}

func testNested(t *testing.T, b *bench) {
	var outer, inner identity.Scope
	must(t, b.InTx(b.ctx, func(ctx context.Context) error {
		outer = b.inside(ctx).organization(t)
		err := b.InTx(ctx, func(ctx context.Context) error {
			inner = b.inside(ctx).organization(t)
			return errStop
		})
		if !errors.Is(err, errStop) {
			t.Errorf("inner error %v", err)
		}
		return nil
	}))
	b.wantNone(t, inner)
	_, err := b.Organizations().ByID(b.ctx, outer.OrganizationID)
	must(t, err)
}

func testNestedConflict(t *testing.T, b *bench) {
	s := b.organization(t)
	must(t, b.InTx(b.ctx, func(ctx context.Context) error {
		err := b.InTx(ctx, func(ctx context.Context) error {
			o, err := b.Organizations().ByID(ctx, s.OrganizationID)
			must(t, err)
			return b.Organizations().Add(ctx, o)
		})
		wantCode(t, err, fault.CodeConflict)
		b.inside(ctx).organization(t)
		return nil
	}))
}

func testForgotten(t *testing.T, b *bench) {
	sql, err := b.db.DB()
	must(t, err)
	if sql.Stats().MaxOpenConnections > 1 {
		return
	}
	err = b.InTx(b.ctx, func(context.Context) error {
		// The transaction's context is not used, and the pool has no free connection.
		ctx, cancel := context.WithTimeout(b.ctx, 50*time.Millisecond)
		defer cancel()
		_, err := b.Organizations().ForOperator(ctx)
		return err
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v: a forgotten transaction went unnoticed", err)
	}
}

// inside is the bench within a transaction.
func (b *bench) inside(ctx context.Context) *bench {
	in := *b
	in.ctx = ctx
	return &in
}

func (b *bench) wantNone(t *testing.T, s identity.Scope) {
	t.Helper()
	_, err := b.Organizations().ByID(b.ctx, s.OrganizationID)
	wantCode(t, err, fault.CodeNotFound)
}
