-- +goose Up
-- SQLite has no statistics of an expression. Lists name the index that they read.
SELECT 1;

-- +goose Down
SELECT 1;
