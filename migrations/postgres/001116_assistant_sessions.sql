-- +goose Up
-- The OAuth client of a session that a person began for an assistant; empty for
-- a sign-in of the person.
ALTER TABLE sessions ADD COLUMN client_id text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE sessions DROP COLUMN client_id;
