-- +goose Up
-- Outgoing webhooks. position and seq are the place in the event log up to which
-- their deliveries exist.
CREATE TABLE webhooks (
    id               uuid PRIMARY KEY,
    organization_id  uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    url              text NOT NULL,
    types            jsonb NOT NULL,
    entity_ids       jsonb,
    enabled          boolean NOT NULL,
    failing_since    timestamptz,
    resume_at        timestamptz,
    disabled_at      timestamptz,
    sealed           bytea NOT NULL,
    old_secret_until timestamptz,
    created_by       uuid NOT NULL,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    position         bigint NOT NULL,
    seq              bigint NOT NULL
);

CREATE INDEX webhooks_of_organization ON webhooks (organization_id, id);

CREATE TABLE webhook_deliveries (
    id              uuid PRIMARY KEY,
    webhook_id      uuid NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    event_id        uuid NOT NULL,
    event           jsonb NOT NULL,
    state           text NOT NULL,
    attempts        bigint NOT NULL,
    tries           bigint NOT NULL,
    next_attempt_at timestamptz,
    last_attempt_at timestamptz,
    status          bigint NOT NULL,
    failure         text NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    UNIQUE (webhook_id, event_id)
);

CREATE INDEX webhook_deliveries_of_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_by_state ON webhook_deliveries (webhook_id, state, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (updated_at) WHERE next_attempt_at IS NULL;

-- +goose Down
DROP TABLE webhook_deliveries;
DROP TABLE webhooks;
