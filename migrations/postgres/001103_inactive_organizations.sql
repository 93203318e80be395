-- +goose Up
-- inactive_since is when the identity provider reported the deletion of the
-- organization; NULL while it is active.
ALTER TABLE organizations ADD COLUMN inactive_since timestamptz;

-- +goose Down
ALTER TABLE organizations DROP COLUMN inactive_since;
