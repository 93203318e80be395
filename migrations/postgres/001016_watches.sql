-- +goose Up
-- How far the place of a trigger integration has been followed. run is the
-- fencing token of whoever polls.
CREATE TABLE watches (
    integration_id  uuid PRIMARY KEY REFERENCES integrations (id) ON DELETE CASCADE,
    organization_id uuid NOT NULL,
    run             bigint NOT NULL,
    next_poll_at    timestamptz NOT NULL,
    cursor          text NOT NULL,
    body            jsonb NOT NULL
);

CREATE INDEX watches_due ON watches (next_poll_at);

-- What is known of the items of the place.
CREATE TABLE watch_nodes (
    integration_id uuid NOT NULL REFERENCES watches (integration_id) ON DELETE CASCADE,
    item_id        text NOT NULL,
    parent_id      text NOT NULL,
    name           text NOT NULL,
    version        text NOT NULL,
    hash           text NOT NULL,
    size_bytes     bigint NOT NULL,
    media_type     text NOT NULL,
    web_url        text NOT NULL,
    modified_at    timestamptz,
    folder         boolean NOT NULL,
    top            boolean NOT NULL,
    linked         boolean NOT NULL,
    removed        boolean NOT NULL,
    epoch          bigint NOT NULL,
    listed         boolean NOT NULL,
    state          text NOT NULL,
    reason         text NOT NULL,
    done_version   text NOT NULL,
    attempts       bigint NOT NULL,
    next_at        timestamptz NOT NULL,
    PRIMARY KEY (integration_id, item_id)
);

CREATE INDEX watch_nodes_wanted ON watch_nodes (integration_id, next_at) WHERE state = 'WANTED';
CREATE INDEX watch_nodes_outside ON watch_nodes (integration_id) WHERE state = 'OUTSIDE';
CREATE INDEX watch_nodes_folders ON watch_nodes (integration_id) WHERE folder;

-- Which versions of which items are documents: each once.
CREATE TABLE watch_versions (
    integration_id uuid NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
    item_id        text NOT NULL,
    version        text NOT NULL,
    document_id    uuid NOT NULL,
    created_at     timestamptz NOT NULL,
    PRIMARY KEY (integration_id, item_id, version)
);

-- +goose Down
DROP TABLE watch_versions;
DROP TABLE watch_nodes;
DROP TABLE watches;
