-- +goose Up
-- What proves that a browser may finish a consent: the secret of the cookie of
-- the browser that began it, and the value of the confirmation page, as hashes.
ALTER TABLE consent_attempts ADD COLUMN browser_hash text NOT NULL DEFAULT '';
ALTER TABLE consent_attempts ADD COLUMN confirmation_hash text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE consent_attempts DROP COLUMN confirmation_hash;
ALTER TABLE consent_attempts DROP COLUMN browser_hash;
