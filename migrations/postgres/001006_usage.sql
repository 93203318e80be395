-- +goose Up
CREATE TABLE usage_counters (
    organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    counter         text NOT NULL,
    period          text NOT NULL,
    used            bigint NOT NULL CHECK (used >= 0),
    PRIMARY KEY (organization_id, counter, period)
);

CREATE TABLE idempotency_keys (
    organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    credential      text NOT NULL,
    operation       text NOT NULL,
    key             text NOT NULL,
    fingerprint     text NOT NULL,
    owner           uuid NOT NULL,
    reserved        uuid NOT NULL,
    body            bytea,
    etag            text NOT NULL,
    started_at      timestamptz NOT NULL,
    leased_until    timestamptz NOT NULL,
    finished_at     timestamptz,
    PRIMARY KEY (organization_id, credential, operation, key)
);

CREATE INDEX idempotency_keys_started_at ON idempotency_keys (started_at);

-- +goose Down
DROP TABLE idempotency_keys;
DROP TABLE usage_counters;
