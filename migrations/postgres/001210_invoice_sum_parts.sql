-- +goose Up
-- Sums that do not read every invoice. A job counts invoices into the groups of invoice_sums. An
-- invoice is in invoices_uncounted until then, and again after a change: the triggers subtract what was
-- counted of it, as rows of invoice_sum_changes, which the job merges. A sum is that of the groups, of
-- the changes and of the uncounted invoices. The triggers also work while the release before writes.
CREATE TABLE invoices_uncounted (
    organization_id uuid NOT NULL,
    invoice_id      uuid NOT NULL,
    PRIMARY KEY (organization_id, invoice_id)
);
-- The rows change often, and a change needs no new entry of the index.
CREATE TABLE invoice_sums (
    organization_id uuid NOT NULL,
    part            text NOT NULL,
    entity_id       uuid NOT NULL,
    currency        text NOT NULL,
    status          text NOT NULL,
    type            text NOT NULL,
    month           text NOT NULL,
    key_a           text NOT NULL,
    key_b           text NOT NULL,
    invoices        bigint NOT NULL,
    net             numeric NOT NULL,
    nets            bigint NOT NULL,
    tax             numeric NOT NULL,
    taxes           bigint NOT NULL,
    gross           numeric NOT NULL,
    grosses         bigint NOT NULL,
    due             numeric NOT NULL,
    dues            bigint NOT NULL,
    PRIMARY KEY (organization_id, part, entity_id, currency, status, type, month, key_a, key_b)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
CREATE TABLE invoice_sum_changes (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id uuid NOT NULL,
    part            text NOT NULL,
    entity_id       uuid NOT NULL,
    currency        text NOT NULL,
    status          text NOT NULL,
    type            text NOT NULL,
    month           text NOT NULL,
    key_a           text NOT NULL,
    key_b           text NOT NULL,
    invoices        bigint NOT NULL,
    net             numeric NOT NULL,
    nets            bigint NOT NULL,
    tax             numeric NOT NULL,
    taxes           bigint NOT NULL,
    gross           numeric NOT NULL,
    grosses         bigint NOT NULL,
    due             numeric NOT NULL,
    dues            bigint NOT NULL
);
CREATE INDEX invoice_sum_changes_of ON invoice_sum_changes (organization_id, part, entity_id);

-- What an invoice adds to the groups of each part. nets, taxes, grosses and dues are the numbers of
-- amounts that exist. 19 and 19.00 are one rate.
CREATE VIEW invoice_sum_parts AS
SELECT i.id AS invoice_id, i.organization_id, 'invoice' AS part, i.entity_id, i.currency, i.status, i.type,
    coalesce(to_char(i.issue_date, 'YYYY-MM'), '') AS month, '' AS key_a, '' AS key_b, 1 AS invoices,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0) AS net, (i.net_fixed IS NOT NULL)::int AS nets,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0) AS tax, (i.tax_fixed IS NOT NULL)::int AS taxes,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0) AS gross, (i.gross_fixed IS NOT NULL)::int AS grosses,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0) AS due, (i.due_fixed IS NOT NULL)::int AS dues
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'supplier', i.entity_id, i.currency, '', '', '', i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), (i.net_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), (i.tax_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), (i.gross_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), (i.due_fixed IS NOT NULL)::int
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
CREATE FUNCTION invoice_sums_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO invoices_uncounted (organization_id, invoice_id) VALUES (NEW.organization_id, NEW.id);
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- The lines and taxes of an invoice exist before its row is changed or deleted. The row is locked, so
-- that the job does not count it at the same time.
-- +goose StatementBegin
CREATE FUNCTION invoice_sums_subtract() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM invoices_uncounted WHERE organization_id = OLD.organization_id AND invoice_id = OLD.id) THEN
        INSERT INTO invoice_sum_changes (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
            SELECT organization_id, part, entity_id, currency, status, type, month, key_a, key_b, -invoices, -net, -nets, -tax, -taxes, -gross, -grosses, -due, -dues
            FROM invoice_sum_parts WHERE invoice_id = OLD.id;
        IF TG_OP = 'UPDATE' THEN
            INSERT INTO invoices_uncounted (organization_id, invoice_id) VALUES (OLD.organization_id, OLD.id);
        END IF;
    ELSIF TG_OP = 'DELETE' THEN
        DELETE FROM invoices_uncounted WHERE organization_id = OLD.organization_id AND invoice_id = OLD.id;
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER invoice_sums_insert AFTER INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION invoice_sums_insert();
-- The lines and taxes of an invoice change only with its version, and after it.
CREATE TRIGGER invoice_sums_update BEFORE UPDATE ON invoices FOR EACH ROW
WHEN (OLD.version <> NEW.version OR OLD.entity_id <> NEW.entity_id OR OLD.status <> NEW.status OR OLD.type <> NEW.type OR OLD.currency <> NEW.currency
    OR OLD.issue_date IS DISTINCT FROM NEW.issue_date OR OLD.seller_tax_id <> NEW.seller_tax_id OR OLD.seller_name <> NEW.seller_name
    OR OLD.net_fixed IS DISTINCT FROM NEW.net_fixed OR OLD.tax_fixed IS DISTINCT FROM NEW.tax_fixed
    OR OLD.gross_fixed IS DISTINCT FROM NEW.gross_fixed OR OLD.due_fixed IS DISTINCT FROM NEW.due_fixed)
EXECUTE FUNCTION invoice_sums_subtract();
CREATE TRIGGER invoice_sums_delete BEFORE DELETE ON invoices FOR EACH ROW EXECUTE FUNCTION invoice_sums_subtract();
-- The first statement above reads the invoices without a lock. Those that were stored or deleted since
-- then are few, and no other transaction writes until this one ends.
INSERT INTO invoices_uncounted (organization_id, invoice_id) SELECT organization_id, id FROM invoices
    WHERE NOT EXISTS (SELECT FROM invoices_uncounted AS u WHERE u.organization_id = invoices.organization_id AND u.invoice_id = invoices.id);
DELETE FROM invoices_uncounted AS u WHERE NOT EXISTS (SELECT FROM invoices WHERE id = u.invoice_id);

-- +goose Down
DROP TRIGGER invoice_sums_delete ON invoices;
DROP TRIGGER invoice_sums_update ON invoices;
DROP TRIGGER invoice_sums_insert ON invoices;
DROP FUNCTION invoice_sums_subtract();
DROP FUNCTION invoice_sums_insert();
DROP VIEW invoice_sum_parts;
DROP TABLE invoice_sum_changes;
DROP TABLE invoice_sums;
DROP TABLE invoices_uncounted;
