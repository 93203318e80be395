-- +goose Up
-- Only PostgreSQL needs this migration: the index of searches of SQLite has the organizations already.
SELECT 1;

-- +goose Down
SELECT 1;
