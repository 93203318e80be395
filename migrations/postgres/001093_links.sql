-- +goose Up
-- Links that replace a credential for one purpose and a short time. Only the hash
-- of a token is stored.
CREATE TABLE links (
    id              uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    entity_id       uuid,
    purpose         text NOT NULL,
    token_hash      text NOT NULL UNIQUE,
    actor_type      text NOT NULL,
    user_id         uuid NOT NULL,
    client_id       text NOT NULL,
    max_uses        bigint NOT NULL,
    uses            bigint NOT NULL,
    parameters      text NOT NULL,
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL,
    FOREIGN KEY (entity_id, organization_id) REFERENCES entities (id, organization_id) ON DELETE CASCADE
);

CREATE INDEX links_of_organization ON links (organization_id, expires_at);
CREATE INDEX links_of_entity ON links (entity_id);

-- +goose Down
DROP TABLE links;
