-- +goose Up
-- Files that docledger derived from the bytes of documents, such as images of
-- pages. source is the SHA-256 of the original. A missing row is derived again.
CREATE TABLE renditions (
    source     text NOT NULL,
    name       text NOT NULL,
    sha256     text NOT NULL,
    size_bytes bigint NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (source, name)
);
CREATE INDEX renditions_blob ON renditions (sha256);

-- +goose Down
DROP TABLE renditions;
