-- +goose Up
CREATE TABLE inbox (
    id          uuid PRIMARY KEY,
    sender      text NOT NULL,
    event_id    text NOT NULL,
    type        text NOT NULL,
    body        bytea NOT NULL,
    occurred_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    state       text NOT NULL,
    attempts    bigint NOT NULL,
    failure     text NOT NULL,
    done_at     timestamptz
);

CREATE UNIQUE INDEX inbox_event ON inbox (sender, event_id);
CREATE INDEX inbox_unfinished ON inbox (received_at) WHERE state = 'RECEIVED';

CREATE TABLE leases (
    name       text PRIMARY KEY,
    owner      text NOT NULL,
    until      timestamptz NOT NULL,
    generation bigint NOT NULL
);

-- +goose Down
DROP TABLE leases;
DROP TABLE inbox;
