-- +goose Up
-- The index of searches has a trigram for the organization of each text, so that a search does not read
-- the texts of others. It consists of three characters for private use, from the last nine digits of the
-- id. Two organizations can share it, because the search compares the id as well.
DROP TRIGGER invoice_search_insert;
DROP TRIGGER invoice_search_update;
DROP TABLE invoice_search;
CREATE VIRTUAL TABLE invoice_search USING fts5(text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram');
CREATE VIEW invoice_search_texts AS
SELECT i.id AS invoice_id, o.mark || char(10) || i.search || char(10) || i.search_file AS text
FROM invoices AS i JOIN (SELECT id,
    char(57344 + 256 * (instr('123456789abcdef', substr(id, 28, 1))) + 16 * (instr('123456789abcdef', substr(id, 29, 1))) + instr('123456789abcdef', substr(id, 30, 1)),
        57344 + 256 * (instr('123456789abcdef', substr(id, 31, 1))) + 16 * (instr('123456789abcdef', substr(id, 32, 1))) + instr('123456789abcdef', substr(id, 33, 1)),
        57344 + 256 * (instr('123456789abcdef', substr(id, 34, 1))) + 16 * (instr('123456789abcdef', substr(id, 35, 1))) + instr('123456789abcdef', substr(id, 36, 1))) AS mark
    FROM organizations) AS o ON o.id = i.organization_id;
INSERT INTO invoice_search (rowid, text)
    SELECT k.n, t.text FROM invoice_search_keys AS k JOIN invoice_search_texts AS t ON t.invoice_id = k.invoice_id ORDER BY k.n;

-- +goose StatementBegin
CREATE TRIGGER invoice_search_insert AFTER INSERT ON invoices BEGIN
    INSERT INTO invoice_search_keys (invoice_id) VALUES (new.id);
    INSERT INTO invoice_search (rowid, text) SELECT k.n, t.text FROM invoice_search_keys AS k JOIN invoice_search_texts AS t ON t.invoice_id = k.invoice_id
        WHERE k.invoice_id = new.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_search_update AFTER UPDATE OF search, search_file ON invoices
WHEN old.search <> new.search OR old.search_file <> new.search_file BEGIN
    UPDATE invoice_search SET text = (SELECT text FROM invoice_search_texts WHERE invoice_id = new.id)
    WHERE rowid = (SELECT n FROM invoice_search_keys WHERE invoice_id = new.id);
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER invoice_search_update;
DROP TRIGGER invoice_search_insert;
DROP VIEW invoice_search_texts;
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
