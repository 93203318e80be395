-- +goose Up
CREATE TABLE inbox (
    id          text NOT NULL PRIMARY KEY,
    sender      text NOT NULL,
    event_id    text NOT NULL,
    type        text NOT NULL,
    body        blob NOT NULL,
    occurred_at timestamp NOT NULL,
    received_at timestamp NOT NULL,
    state       text NOT NULL,
    attempts    integer NOT NULL,
    failure     text NOT NULL,
    done_at     timestamp
);

CREATE UNIQUE INDEX inbox_event ON inbox (sender, event_id);
CREATE INDEX inbox_unfinished ON inbox (received_at) WHERE state = 'RECEIVED';

CREATE TABLE leases (
    name       text NOT NULL PRIMARY KEY,
    owner      text NOT NULL,
    until      timestamp NOT NULL,
    generation integer NOT NULL
);

-- +goose Down
DROP TABLE leases;
DROP TABLE inbox;
