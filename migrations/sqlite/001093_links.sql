-- +goose Up
-- Links that replace a credential for one purpose and a short time. Only the hash
-- of a token is stored.
CREATE TABLE links (
    id              text PRIMARY KEY NOT NULL,
    organization_id text NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    entity_id       text,
    purpose         text NOT NULL,
    token_hash      text NOT NULL UNIQUE,
    actor_type      text NOT NULL,
    user_id         text NOT NULL,
    client_id       text NOT NULL,
    max_uses        integer NOT NULL,
    uses            integer NOT NULL,
    parameters      text NOT NULL,
    created_at      timestamp NOT NULL,
    expires_at      timestamp NOT NULL,
    FOREIGN KEY (entity_id, organization_id) REFERENCES entities (id, organization_id) ON DELETE CASCADE
);

CREATE INDEX links_of_organization ON links (organization_id, expires_at);
CREATE INDEX links_of_entity ON links (entity_id);

-- +goose Down
DROP TABLE links;
