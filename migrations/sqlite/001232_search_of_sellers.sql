-- +goose Up
-- The index of searches has two rows for an invoice: that of the name of the seller has the negative number, and that of
-- the other texts the number. A sum with a search adds up the groups of the sellers with a name that matches, and reads
-- only the invoices of which another text matches. The search text has the number, the seller and the purchase order,
-- each in a line.
DROP TRIGGER invoice_search_insert;
DROP TRIGGER invoice_search_update;
DROP TRIGGER invoice_search_delete;
DROP VIEW invoice_search_texts;
DROP TABLE invoice_search;
CREATE VIRTUAL TABLE invoice_search USING fts5(text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram');
CREATE VIEW invoice_search_texts AS
SELECT i.id AS invoice_id, k.n * p.sign AS n,
    char(57344 + 256 * (instr('123456789abcdef', substr(i.organization_id, 28, 1))) + 16 * (instr('123456789abcdef', substr(i.organization_id, 29, 1))) + instr('123456789abcdef', substr(i.organization_id, 30, 1)),
        57344 + 256 * (instr('123456789abcdef', substr(i.organization_id, 31, 1))) + 16 * (instr('123456789abcdef', substr(i.organization_id, 32, 1))) + instr('123456789abcdef', substr(i.organization_id, 33, 1)),
        57344 + 256 * (instr('123456789abcdef', substr(i.organization_id, 34, 1))) + 16 * (instr('123456789abcdef', substr(i.organization_id, 35, 1))) + instr('123456789abcdef', substr(i.organization_id, 36, 1)))
    || char(10) || CASE p.sign WHEN -1 THEN i.seller ELSE i.number || char(10) || substr(i.search, length(i.number) + length(i.seller) + 3) || char(10) || i.search_file END AS text
FROM (SELECT id, organization_id, search, search_file, substr(search, 1, instr(search || char(10), char(10)) - 1) AS number,
        substr(substr(search, instr(search || char(10), char(10)) + 1), 1, instr(substr(search, instr(search || char(10), char(10)) + 1) || char(10), char(10)) - 1) AS seller
    FROM invoices) AS i JOIN invoice_search_keys AS k ON k.invoice_id = i.id CROSS JOIN (SELECT -1 AS sign UNION ALL SELECT 1) AS p;
-- The rows are added in their order.
INSERT INTO invoice_search (rowid, text) SELECT t.n, t.text FROM invoice_search_texts AS t ORDER BY t.n;

-- +goose StatementBegin
CREATE TRIGGER invoice_search_insert AFTER INSERT ON invoices BEGIN
    INSERT INTO invoice_search_keys (invoice_id) VALUES (new.id);
    INSERT INTO invoice_search (rowid, text) SELECT t.n, t.text FROM invoice_search_texts AS t WHERE t.invoice_id = new.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_search_update AFTER UPDATE OF search, search_file ON invoices
WHEN old.search <> new.search OR old.search_file <> new.search_file BEGIN
    DELETE FROM invoice_search WHERE rowid = (SELECT n FROM invoice_search_keys WHERE invoice_id = new.id);
    DELETE FROM invoice_search WHERE rowid = (SELECT -n FROM invoice_search_keys WHERE invoice_id = new.id);
    INSERT INTO invoice_search (rowid, text) SELECT t.n, t.text FROM invoice_search_texts AS t WHERE t.invoice_id = new.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_search_delete AFTER DELETE ON invoices BEGIN
    DELETE FROM invoice_search WHERE rowid = (SELECT n FROM invoice_search_keys WHERE invoice_id = old.id);
    DELETE FROM invoice_search WHERE rowid = (SELECT -n FROM invoice_search_keys WHERE invoice_id = old.id);
    DELETE FROM invoice_search_keys WHERE invoice_id = old.id;
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER invoice_search_delete;
DROP TRIGGER invoice_search_update;
DROP TRIGGER invoice_search_insert;
DROP VIEW invoice_search_texts;
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

-- +goose StatementBegin
CREATE TRIGGER invoice_search_delete AFTER DELETE ON invoices BEGIN
    DELETE FROM invoice_search WHERE rowid = (SELECT n FROM invoice_search_keys WHERE invoice_id = old.id);
    DELETE FROM invoice_search_keys WHERE invoice_id = old.id;
END;
-- +goose StatementEnd
