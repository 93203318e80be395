-- +goose Up
-- A consent of one provider account; its tokens are sealed.
CREATE TABLE grants (
    id                text PRIMARY KEY NOT NULL,
    organization_id   text NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    provider          text NOT NULL,
    account           text NOT NULL,
    event             text NOT NULL,
    sealed            blob NOT NULL,
    access_expires_at timestamp NOT NULL,
    scopes            text NOT NULL,
    generation        integer NOT NULL,
    ended             boolean NOT NULL,
    created_at        timestamp NOT NULL,
    updated_at        timestamp NOT NULL,
    UNIQUE (organization_id, provider, account),
    UNIQUE (id, organization_id)
);

CREATE INDEX grants_account ON grants (provider, account);

CREATE TABLE integrations (
    id               text PRIMARY KEY NOT NULL,
    entity_id        text NOT NULL,
    organization_id  text NOT NULL,
    provider         text NOT NULL,
    status           text NOT NULL,
    reason           text NOT NULL,
    grant_id         text,
    metadata         text,
    tenant           text NOT NULL,
    created_by       text,
    last_activity_at timestamp,
    version          integer NOT NULL,
    created_at       timestamp NOT NULL,
    updated_at       timestamp NOT NULL,
    FOREIGN KEY (entity_id, organization_id) REFERENCES entities (id, organization_id) ON DELETE CASCADE,
    FOREIGN KEY (grant_id, organization_id) REFERENCES grants (id, organization_id)
);

CREATE INDEX integrations_of_organization ON integrations (organization_id, id);
CREATE INDEX integrations_of_entity ON integrations (entity_id, id);
CREATE INDEX integrations_of_grant ON integrations (grant_id) WHERE grant_id IS NOT NULL;
-- A tenant serves one entity of an organization, and an entity books in one.
CREATE UNIQUE INDEX integrations_one_entity ON integrations (organization_id, provider, tenant) WHERE tenant <> '' AND status <> 'DISCONNECTED';
CREATE UNIQUE INDEX integrations_one_ledger ON integrations (entity_id) WHERE tenant <> '' AND status <> 'DISCONNECTED';
CREATE INDEX integrations_of_tenant ON integrations (provider, tenant);

-- The sweep looks for set-ups that could not be verified yet.
CREATE INDEX integrations_unverified ON integrations (updated_at) WHERE status = 'PENDING';

-- A consent that was asked for and has not come back. It goes with its
-- integration.
CREATE TABLE consent_attempts (
    state_hash      text PRIMARY KEY NOT NULL,
    organization_id text NOT NULL,
    integration_id  text NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
    user_id         text NOT NULL,
    sealed          blob NOT NULL,
    redirect_url    text NOT NULL,
    expires_at      timestamp NOT NULL
);

CREATE INDEX consent_attempts_expires_at ON consent_attempts (expires_at);

-- +goose Down
DROP TABLE consent_attempts;
DROP TABLE integrations;
DROP TABLE grants;
