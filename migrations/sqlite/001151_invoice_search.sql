-- +goose Up
-- Parts of the number, seller, purchase order and file name are found from an index of
-- their trigrams. It has no texts; its rows have the numbers of invoice_search_keys. The
-- triggers keep it current, also while the release before writes.
CREATE TABLE invoice_search_keys (
    n          integer PRIMARY KEY,
    invoice_id text NOT NULL UNIQUE
);
CREATE VIRTUAL TABLE invoice_search USING fts5(text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram');
INSERT INTO invoice_search_keys (invoice_id) SELECT id FROM invoices ORDER BY id;
INSERT INTO invoice_search (rowid, text)
    SELECT k.n, i.search || char(10) || i.search_file FROM invoice_search_keys AS k JOIN invoices AS i ON i.id = k.invoice_id;

-- +goose StatementBegin
CREATE TRIGGER invoice_search_insert AFTER INSERT ON invoices BEGIN
    INSERT INTO invoice_search_keys (invoice_id) VALUES (new.id);
    INSERT INTO invoice_search (rowid, text) SELECT n, new.search || char(10) || new.search_file FROM invoice_search_keys WHERE invoice_id = new.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_search_update AFTER UPDATE OF search, search_file ON invoices
WHEN old.search <> new.search OR old.search_file <> new.search_file BEGIN
    UPDATE invoice_search SET text = new.search || char(10) || new.search_file
    WHERE rowid = (SELECT n FROM invoice_search_keys WHERE invoice_id = new.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_search_delete AFTER DELETE ON invoices BEGIN
    DELETE FROM invoice_search WHERE rowid = (SELECT n FROM invoice_search_keys WHERE invoice_id = old.id);
    DELETE FROM invoice_search_keys WHERE invoice_id = old.id;
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER invoice_search_delete;
DROP TRIGGER invoice_search_update;
DROP TRIGGER invoice_search_insert;
DROP TABLE invoice_search;
DROP TABLE invoice_search_keys;
