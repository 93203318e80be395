-- +goose Up
-- Only PostgreSQL needs this migration: SQLite has no functions of positions.
SELECT 1;

-- +goose Down
SELECT 1;
