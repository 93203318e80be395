package queue

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"

	"github.com/riverqueue/river/rivermigrate"
)

// Schema migrates the tables of the queue in a database of the dialect. It implements
// database.Library.
type Schema struct{ Dialect string }

// Migrate creates or updates the tables.
func (s Schema) Migrate(ctx context.Context, pool *sql.DB) error {
	m, err := s.migrator(pool)
	if err != nil {
		return err
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrate the job queue: %w", err)
	}
	return nil
}

// Current reports whether the tables are those of this release.
func (s Schema) Current(ctx context.Context, pool *sql.DB) (bool, error) {
	m, err := s.migrator(pool)
	if err != nil {
		return false, err
	}
	state, err := m.Validate(ctx, nil)
	if err != nil {
		return false, fmt.Errorf("read the version of the job queue: %w", err)
	}
	return state.OK, nil
}

func (s Schema) migrator(pool *sql.DB) (*rivermigrate.Migrator[*sql.Tx], error) {
	m, err := rivermigrate.New(driverOf(pool, s.Dialect == postgres), &rivermigrate.Config{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		return nil, fmt.Errorf("read the migrations of the job queue: %w", err)
	}
	return m, nil
}
