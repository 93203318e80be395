-- +goose Up
-- Who asked for a consent, and the connect link with which it is given; NULL for none.
ALTER TABLE consent_attempts ADD COLUMN actor_type text NOT NULL DEFAULT 'USER';
ALTER TABLE consent_attempts ADD COLUMN link_id uuid;

-- +goose Down
ALTER TABLE consent_attempts DROP COLUMN link_id;
ALTER TABLE consent_attempts DROP COLUMN actor_type;
