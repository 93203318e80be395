-- +goose Up
-- Only SQLite needs this migration: PostgreSQL reads the invoices of a search by its own index.
SELECT 1;

-- +goose Down
SELECT 1;
