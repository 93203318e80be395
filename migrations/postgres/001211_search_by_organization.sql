-- +goose Up
-- Only SQLite needs this migration: its index of searches has no columns for the organization.
SELECT 1;

-- +goose Down
SELECT 1;
