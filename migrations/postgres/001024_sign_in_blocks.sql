-- +goose Up
-- Until when the next attempt to sign in is refused.
ALTER TABLE sign_in_attempts ADD COLUMN blocked_until timestamptz;

-- +goose Down
ALTER TABLE sign_in_attempts DROP COLUMN blocked_until;
