-- +goose Up
-- Outgoing webhooks. position and seq are the place in the event log up to which
-- their deliveries exist.
CREATE TABLE webhooks (
    id               text PRIMARY KEY NOT NULL,
    organization_id  text NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    url              text NOT NULL,
    types            text NOT NULL,
    entity_ids       text,
    enabled          boolean NOT NULL,
    failing_since    timestamp,
    resume_at        timestamp,
    disabled_at      timestamp,
    sealed           blob NOT NULL,
    old_secret_until timestamp,
    created_by       text NOT NULL,
    created_at       timestamp NOT NULL,
    updated_at       timestamp NOT NULL,
    position         integer NOT NULL,
    seq              integer NOT NULL
);

CREATE INDEX webhooks_of_organization ON webhooks (organization_id, id);

CREATE TABLE webhook_deliveries (
    id              text PRIMARY KEY NOT NULL,
    webhook_id      text NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    organization_id text NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    event_id        text NOT NULL,
    event           text NOT NULL,
    state           text NOT NULL,
    attempts        integer NOT NULL,
    tries           integer NOT NULL,
    next_attempt_at timestamp,
    last_attempt_at timestamp,
    status          integer NOT NULL,
    failure         text NOT NULL,
    created_at      timestamp NOT NULL,
    updated_at      timestamp NOT NULL,
    UNIQUE (webhook_id, event_id)
);

CREATE INDEX webhook_deliveries_of_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_by_state ON webhook_deliveries (webhook_id, state, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (updated_at) WHERE next_attempt_at IS NULL;

-- +goose Down
DROP TABLE webhook_deliveries;
DROP TABLE webhooks;
