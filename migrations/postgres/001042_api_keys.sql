-- +goose Up
-- Credentials of programs. Only the hash of a secret is stored.
CREATE TABLE api_keys (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name            text NOT NULL,
    role            text NOT NULL,
    entity_ids      jsonb,
    secret_hash     text NOT NULL UNIQUE,
    hint            text NOT NULL,
    created_by      uuid NOT NULL,
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL,
    last_used_at    timestamptz,
    revoked_at      timestamptz,
    expiry_noted    boolean NOT NULL
);

CREATE INDEX api_keys_of_organization ON api_keys (organization_id, id);
CREATE INDEX api_keys_by_expiry ON api_keys (expires_at);

-- +goose Down
DROP TABLE api_keys;
