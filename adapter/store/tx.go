package store

import (
	"context"
	"database/sql"
	"fmt"

	"gorm.io/gorm"
)

// txKey finds a store's transaction in a context. Each store has its own, so
// that a second database never gets a statement of the first one's work.
type txKey struct{ db *gorm.DB }

// InTx implements usecase.UnitOfWork.
func (s *Store) InTx(ctx context.Context, fn func(ctx context.Context) error) error {
	var fromFn error
	err := s.handle(ctx).Transaction(func(tx *gorm.DB) error {
		fromFn = fn(context.WithValue(ctx, txKey{s.db}, tx))
		return fromFn
	})
	if err == nil || fromFn != nil {
		return err
	}
	return failed("run the transaction", err)
}

// inOne runs fn in the transaction of ctx, or in one of its own.
func (s *Store) inOne(ctx context.Context, fn func(ctx context.Context) error) error {
	if s.inTx(ctx) {
		return fn(ctx)
	}
	return s.InTx(ctx, fn)
}

// inSnapshot runs fn, which only reads, so that all its queries see the database
// as it is at one moment; in the transaction of ctx they see what that sees.
func (s *Store) inSnapshot(ctx context.Context, fn func(ctx context.Context) error) error {
	if s.inTx(ctx) {
		return fn(ctx)
	}
	var fromFn error
	err := s.handle(ctx).Transaction(func(tx *gorm.DB) error {
		fromFn = fn(context.WithValue(ctx, txKey{s.db}, tx))
		return fromFn
	}, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err == nil || fromFn != nil {
		return err
	}
	return failed("read in one transaction", err)
}

// handle returns the transaction of ctx, or the pool outside of one.
func (s *Store) handle(ctx context.Context) *gorm.DB {
	if tx, ok := ctx.Value(txKey{s.db}).(*gorm.DB); ok {
		return tx.WithContext(ctx)
	}
	return s.db.WithContext(ctx)
}

func (s *Store) inTx(ctx context.Context) bool {
	_, ok := ctx.Value(txKey{s.db}).(*gorm.DB)
	return ok
}

// sqlTx returns the transaction of ctx for what does not speak gorm.
func (s *Store) sqlTx(ctx context.Context) (*sql.Tx, error) {
	tx, ok := s.handle(ctx).Statement.ConnPool.(*sql.Tx)
	if !ok {
		return nil, fmt.Errorf("no transaction: %T", s.handle(ctx).Statement.ConnPool)
	}
	return tx, nil
}
