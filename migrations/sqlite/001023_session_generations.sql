-- +goose Up
-- The generation that a session's tokens must have, and when each of the
-- earlier generations that are still accepted was superseded.
ALTER TABLE sessions ADD COLUMN generation integer NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN superseded text NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN refreshed_at timestamp;

-- +goose Down
ALTER TABLE sessions DROP COLUMN refreshed_at;
ALTER TABLE sessions DROP COLUMN superseded;
ALTER TABLE sessions DROP COLUMN generation;
