-- +goose Up
-- People whom the identity provider knows. Their addresses are the provider's
-- to keep apart; only those of local accounts name one account.
ALTER TABLE users ADD COLUMN identity_id text;
CREATE UNIQUE INDEX users_identity_id ON users (identity_id);
DROP INDEX users_email;
CREATE UNIQUE INDEX users_email ON users (email) WHERE identity_id IS NULL;
ALTER TABLE memberships ADD COLUMN checked_at timestamptz;

-- +goose Down
ALTER TABLE memberships DROP COLUMN checked_at;
DROP INDEX users_email;
CREATE UNIQUE INDEX users_email ON users (email);
DROP INDEX users_identity_id;
ALTER TABLE users DROP COLUMN identity_id;
