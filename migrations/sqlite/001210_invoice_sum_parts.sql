-- +goose Up
-- Sums that do not read every invoice. A job counts invoices into the groups of invoice_sums. An
-- invoice is in invoices_uncounted until then, and again after a change: the triggers subtract what was
-- counted of it, as rows of invoice_sum_changes, which the job merges. A sum is that of the groups, of
-- the changes and of the uncounted invoices. The triggers also work while the release before writes.
CREATE TABLE invoices_uncounted (
    organization_id text NOT NULL,
    invoice_id      text NOT NULL,
    PRIMARY KEY (organization_id, invoice_id)
) WITHOUT ROWID;
CREATE TABLE invoice_sums (
    organization_id text NOT NULL,
    part            text NOT NULL,
    entity_id       text NOT NULL,
    currency        text NOT NULL,
    status          text NOT NULL,
    type            text NOT NULL,
    month           text NOT NULL,
    key_a           text NOT NULL,
    key_b           text NOT NULL,
    invoices        integer NOT NULL,
    net             integer NOT NULL,
    nets            integer NOT NULL,
    tax             integer NOT NULL,
    taxes           integer NOT NULL,
    gross           integer NOT NULL,
    grosses         integer NOT NULL,
    due             integer NOT NULL,
    dues            integer NOT NULL,
    PRIMARY KEY (organization_id, part, entity_id, currency, status, type, month, key_a, key_b)
) WITHOUT ROWID;
CREATE TABLE invoice_sum_changes (
    id              integer PRIMARY KEY AUTOINCREMENT,
    organization_id text NOT NULL,
    part            text NOT NULL,
    entity_id       text NOT NULL,
    currency        text NOT NULL,
    status          text NOT NULL,
    type            text NOT NULL,
    month           text NOT NULL,
    key_a           text NOT NULL,
    key_b           text NOT NULL,
    invoices        integer NOT NULL,
    net             integer NOT NULL,
    nets            integer NOT NULL,
    tax             integer NOT NULL,
    taxes           integer NOT NULL,
    gross           integer NOT NULL,
    grosses         integer NOT NULL,
    due             integer NOT NULL,
    dues            integer NOT NULL
);
CREATE INDEX invoice_sum_changes_of ON invoice_sum_changes (organization_id, part, entity_id);

-- What an invoice adds to the groups of each part. nets, taxes, grosses and dues are the numbers of
-- amounts that exist. 19 and 19.00 are one rate.
CREATE VIEW invoice_sum_parts AS
SELECT i.id AS invoice_id, i.organization_id, 'invoice' AS part, i.entity_id, i.currency, i.status, i.type,
    coalesce(substr(i.issue_date, 1, 7), '') AS month, '' AS key_a, '' AS key_b, 1 AS invoices,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0) AS net, i.net_fixed IS NOT NULL AS nets,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0) AS tax, i.tax_fixed IS NOT NULL AS taxes,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0) AS gross, i.gross_fixed IS NOT NULL AS grosses,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0) AS due, i.due_fixed IS NOT NULL AS dues
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'supplier', i.entity_id, i.currency, '', '', '', i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), i.net_fixed IS NOT NULL,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), i.tax_fixed IS NOT NULL,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), i.gross_fixed IS NOT NULL,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), i.due_fixed IS NOT NULL
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'tax', i.entity_id, i.currency, i.status, i.type, '', x.category,
    coalesce(CASE WHEN x.rate LIKE '%.%' THEN rtrim(rtrim(x.rate, '0'), '.') ELSE x.rate END, ''), 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.base_fixed), 0), count(x.base_fixed),
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.amount_fixed), 0), count(x.amount_fixed),
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.base_fixed + x.amount_fixed), 0), count(x.base_fixed + x.amount_fixed), 0, 0
FROM invoices AS i JOIN invoice_taxes AS x ON x.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, x.category, coalesce(CASE WHEN x.rate LIKE '%.%' THEN rtrim(rtrim(x.rate, '0'), '.') ELSE x.rate END, '')
UNION ALL
SELECT i.id, i.organization_id, 'account', i.entity_id, i.currency, i.status, i.type, '', l.account_id, '', 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(l.net_fixed), 0), count(l.net_fixed), 0, 0, 0, 0, 0, 0
FROM invoices AS i JOIN invoice_lines AS l ON l.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, l.account_id;

INSERT INTO invoices_uncounted (organization_id, invoice_id) SELECT organization_id, id FROM invoices ORDER BY organization_id, id;

-- +goose StatementBegin
CREATE TRIGGER invoice_sums_insert AFTER INSERT ON invoices BEGIN
    INSERT INTO invoices_uncounted (organization_id, invoice_id) VALUES (new.organization_id, new.id);
END;
-- +goose StatementEnd
-- The lines and taxes of an invoice change only with its version, and after it.
-- +goose StatementBegin
CREATE TRIGGER invoice_sums_update BEFORE UPDATE ON invoices
WHEN (old.version <> new.version OR old.entity_id <> new.entity_id OR old.status <> new.status OR old.type <> new.type OR old.currency <> new.currency
    OR old.issue_date IS NOT new.issue_date OR old.seller_tax_id <> new.seller_tax_id OR old.seller_name <> new.seller_name
    OR old.net_fixed IS NOT new.net_fixed OR old.tax_fixed IS NOT new.tax_fixed OR old.gross_fixed IS NOT new.gross_fixed OR old.due_fixed IS NOT new.due_fixed)
    AND NOT EXISTS (SELECT 1 FROM invoices_uncounted WHERE organization_id = old.organization_id AND invoice_id = old.id) BEGIN
    INSERT INTO invoice_sum_changes (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
        SELECT organization_id, part, entity_id, currency, status, type, month, key_a, key_b, -invoices, -net, -nets, -tax, -taxes, -gross, -grosses, -due, -dues
        FROM invoice_sum_parts WHERE invoice_id = old.id;
    INSERT INTO invoices_uncounted (organization_id, invoice_id) VALUES (old.organization_id, old.id);
END;
-- +goose StatementEnd
-- Before the row is deleted, its lines and taxes exist.
-- +goose StatementBegin
CREATE TRIGGER invoice_sums_delete BEFORE DELETE ON invoices
WHEN NOT EXISTS (SELECT 1 FROM invoices_uncounted WHERE organization_id = old.organization_id AND invoice_id = old.id) BEGIN
    INSERT INTO invoice_sum_changes (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
        SELECT organization_id, part, entity_id, currency, status, type, month, key_a, key_b, -invoices, -net, -nets, -tax, -taxes, -gross, -grosses, -due, -dues
        FROM invoice_sum_parts WHERE invoice_id = old.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_sums_deleted AFTER DELETE ON invoices BEGIN
    DELETE FROM invoices_uncounted WHERE organization_id = old.organization_id AND invoice_id = old.id;
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER invoice_sums_deleted;
DROP TRIGGER invoice_sums_delete;
DROP TRIGGER invoice_sums_update;
DROP TRIGGER invoice_sums_insert;
DROP VIEW invoice_sum_parts;
DROP TABLE invoice_sum_changes;
DROP TABLE invoice_sums;
DROP TABLE invoices_uncounted;
