-- +goose Up
CREATE TABLE entities (
    id              text PRIMARY KEY NOT NULL,
    organization_id text NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name            text NOT NULL,
    legal_name      text NOT NULL,
    tax_ids         text NOT NULL,
    aliases         text NOT NULL,
    country         text NOT NULL,
    base_currency   text NOT NULL,
    access          text NOT NULL,
    default_role    text NOT NULL,
    archived        boolean NOT NULL,
    version         integer NOT NULL,
    created_at      timestamp NOT NULL,
    updated_at      timestamp NOT NULL,
    -- What belongs to an entity refers to both columns, so that no row can
    -- name an entity of another organization.
    UNIQUE (id, organization_id)
);

CREATE INDEX entities_newest ON entities (organization_id, id DESC);

CREATE TABLE entity_members (
    entity_id text NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    user_id   text NOT NULL,
    role      text NOT NULL,
    PRIMARY KEY (entity_id, user_id)
);

CREATE INDEX entity_members_user_id ON entity_members (user_id, entity_id);

CREATE TABLE settings (
    entity_id                 text PRIMARY KEY NOT NULL,
    organization_id           text NOT NULL,
    default_currency          text NOT NULL,
    date_order                text NOT NULL,
    timezone                  text NOT NULL,
    auto_extract              boolean NOT NULL,
    auto_sync                 boolean NOT NULL,
    approval_required         boolean NOT NULL,
    review_threshold          real NOT NULL,
    accounting_integration_id text,
    default_account_id        text NOT NULL,
    default_tax_rate_id       text NOT NULL,
    tax_mappings              text NOT NULL,
    duplicate_policy          text NOT NULL,
    four_eyes                 boolean NOT NULL,
    assistant_actions         text NOT NULL,
    route_by_buyer            boolean NOT NULL,
    bill_status               text NOT NULL,
    version                   integer NOT NULL,
    updated_at                timestamp NOT NULL,
    FOREIGN KEY (entity_id, organization_id) REFERENCES entities (id, organization_id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE settings;
DROP TABLE entity_members;
DROP TABLE entities;
