-- +goose Up
CREATE TABLE documents (
    id              text PRIMARY KEY NOT NULL,
    entity_id       text NOT NULL,
    organization_id text NOT NULL,
    filename        text NOT NULL,
    media_type      text NOT NULL,
    size_bytes      integer NOT NULL,
    sha256          text NOT NULL,
    page_count      integer NOT NULL,
    origin          text NOT NULL,
    integration_id  text,
    source_path     text NOT NULL,
    status          text NOT NULL,
    failure         text,
    held_reason     text NOT NULL,
    invoice_id      text,
    parent_id       text REFERENCES documents (id) ON DELETE CASCADE,
    part            integer NOT NULL,
    pages           text,
    attachments     text NOT NULL,
    attempts        integer NOT NULL,
    run             integer NOT NULL,
    restarts        integer NOT NULL,
    requested       boolean NOT NULL,
    forced          boolean NOT NULL,
    version         integer NOT NULL,
    created_by      text,
    created_at      timestamp NOT NULL,
    updated_at      timestamp NOT NULL,
    FOREIGN KEY (entity_id, organization_id) REFERENCES entities (id, organization_id) ON DELETE CASCADE
);

-- The same bytes are one document of an entity; parts of a split file share
-- the bytes of the whole.
CREATE UNIQUE INDEX documents_bytes ON documents (entity_id, sha256) WHERE part = 0;
CREATE UNIQUE INDEX documents_parts ON documents (parent_id, part) WHERE parent_id IS NOT NULL;

-- Lists are newest first; ids are UUIDv7, so that their order is that of time.
CREATE INDEX documents_newest ON documents (organization_id, id DESC);
CREATE INDEX documents_newest_of_entity ON documents (entity_id, id DESC);
CREATE INDEX documents_newest_by_status ON documents (organization_id, status, id DESC);
CREATE INDEX documents_newest_of_entity_by_status ON documents (entity_id, status, id DESC);

-- The sweep looks for what has come to no end.
CREATE INDEX documents_unfinished ON documents (updated_at) WHERE status IN ('UPLOADED', 'PROCESSING');

-- +goose Down
DROP TABLE documents;
