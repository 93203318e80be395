-- +goose Up
-- Sums with a filter by due date or time of creation. Two more parts of invoice_sums, 'due_month' and 'created_month', have
-- the month of these dates, in UTC, instead of that of the issue date. An invoice without a due date, or with the first
-- day of the calendar, which the filters exclude, has the month ''. The next migration adds the invoices that are counted now.
-- No job counts meanwhile. A change of an invoice waits before it reads the view or writes to
-- invoices_uncounted, so that it has no lock for which this migration waits.
SELECT pg_advisory_xact_lock(hashtextextended('docledger sums', 0));
LOCK TABLE invoices IN SHARE ROW EXCLUSIVE MODE;
CREATE OR REPLACE VIEW invoice_sum_parts AS
SELECT i.id AS invoice_id, i.organization_id, 'invoice' AS part, i.entity_id, i.currency, i.status, i.type,
    coalesce(to_char(i.issue_date, 'YYYY-MM'), '') AS month, '' AS key_a, '' AS key_b, 1 AS invoices,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0) AS net, (i.net_fixed IS NOT NULL)::int AS nets,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0) AS tax, (i.tax_fixed IS NOT NULL)::int AS taxes,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0) AS gross, (i.gross_fixed IS NOT NULL)::int AS grosses,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0) AS due, (i.due_fixed IS NOT NULL)::int AS dues
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'supplier', i.entity_id, i.currency, i.status, i.type, '', i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), (i.net_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), (i.tax_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), (i.gross_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), (i.due_fixed IS NOT NULL)::int
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'tax', i.entity_id, i.currency, i.status, i.type, coalesce(to_char(i.issue_date, 'YYYY-MM'), ''), x.category,
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
GROUP BY i.id, l.account_id
UNION ALL
SELECT i.id, i.organization_id, 'supplier_month', '00000000-0000-0000-0000-000000000000'::uuid, i.currency, '', '', coalesce(to_char(i.issue_date, 'YYYY-MM'), ''), i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), (i.net_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), (i.tax_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), (i.gross_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), (i.due_fixed IS NOT NULL)::int
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'account_month', '00000000-0000-0000-0000-000000000000'::uuid, i.currency, '', '', coalesce(to_char(i.issue_date, 'YYYY-MM'), ''), l.account_id, '', 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(l.net_fixed), 0), count(l.net_fixed), 0, 0, 0, 0, 0, 0
FROM invoices AS i JOIN invoice_lines AS l ON l.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, l.account_id
UNION ALL
SELECT i.id, i.organization_id, 'supplier_account', '00000000-0000-0000-0000-000000000000'::uuid, i.currency, '', l.account_id, '', i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(l.net_fixed), 0), count(l.net_fixed), 0, 0, 0, 0, 0, 0
FROM invoices AS i JOIN invoice_lines AS l ON l.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, l.account_id
UNION ALL
SELECT i.id, i.organization_id, 'supplier_tax', '00000000-0000-0000-0000-000000000000'::uuid, i.currency, x.category, coalesce(CASE WHEN x.rate LIKE '%.%' THEN rtrim(rtrim(x.rate, '0'), '.') ELSE x.rate END, ''), '', i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.base_fixed), 0), count(x.base_fixed),
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.amount_fixed), 0), count(x.amount_fixed),
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.base_fixed + x.amount_fixed), 0), count(x.base_fixed + x.amount_fixed), 0, 0
FROM invoices AS i JOIN invoice_taxes AS x ON x.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, x.category, coalesce(CASE WHEN x.rate LIKE '%.%' THEN rtrim(rtrim(x.rate, '0'), '.') ELSE x.rate END, '')
UNION ALL
SELECT i.id, i.organization_id, 'tax_account', '00000000-0000-0000-0000-000000000000'::uuid, i.currency, '', l.account_id, '', l.tax_category, coalesce(CASE WHEN l.tax_rate LIKE '%.%' THEN rtrim(rtrim(l.tax_rate, '0'), '.') ELSE l.tax_rate END, ''), 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(l.net_fixed), 0), count(l.net_fixed), 0, 0, 0, 0, 0, 0
FROM invoices AS i JOIN invoice_lines AS l ON l.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, l.account_id, l.tax_category, coalesce(CASE WHEN l.tax_rate LIKE '%.%' THEN rtrim(rtrim(l.tax_rate, '0'), '.') ELSE l.tax_rate END, '')
UNION ALL
SELECT i.id, i.organization_id, 'due_month', i.entity_id, i.currency, i.status, i.type,
    CASE WHEN i.due_date > '0001-01-01' THEN to_char(i.due_date, 'YYYY-MM') ELSE '' END, '', '', 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), (i.net_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), (i.tax_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), (i.gross_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), (i.due_fixed IS NOT NULL)::int
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'created_month', i.entity_id, i.currency, i.status, i.type,
    to_char(i.created_at AT TIME ZONE 'UTC', 'YYYY-MM'), '', '', 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), (i.net_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), (i.tax_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), (i.gross_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), (i.due_fixed IS NOT NULL)::int
FROM invoices AS i WHERE i.status <> 'REJECTED';
-- Each change of the application increases the version as well.
CREATE OR REPLACE TRIGGER invoice_sums_update BEFORE UPDATE ON invoices FOR EACH ROW
WHEN (OLD.version <> NEW.version OR OLD.entity_id <> NEW.entity_id OR OLD.status <> NEW.status OR OLD.type <> NEW.type OR OLD.currency <> NEW.currency
    OR OLD.issue_date IS DISTINCT FROM NEW.issue_date OR OLD.due_date IS DISTINCT FROM NEW.due_date OR OLD.created_at <> NEW.created_at OR OLD.seller_tax_id <> NEW.seller_tax_id OR OLD.seller_name <> NEW.seller_name
    OR OLD.net_fixed IS DISTINCT FROM NEW.net_fixed OR OLD.tax_fixed IS DISTINCT FROM NEW.tax_fixed
    OR OLD.gross_fixed IS DISTINCT FROM NEW.gross_fixed OR OLD.due_fixed IS DISTINCT FROM NEW.due_fixed)
EXECUTE FUNCTION invoice_sums_subtract();
-- +goose StatementBegin
CREATE FUNCTION invoice_status_differs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM invoice_sync_differences WHERE organization_id = OLD.organization_id AND invoice_id = OLD.id;
    ELSE
        PERFORM invoice_sync_compare(NEW.organization_id, NEW.id, NEW.status, coalesce((SELECT state FROM invoice_syncs WHERE invoice_id = NEW.id), ''));
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER invoice_status_insert AFTER INSERT ON invoices FOR EACH ROW
WHEN (NEW.status IN ('SYNCED', 'SYNC_FAILED')) EXECUTE FUNCTION invoice_status_differs();
CREATE TRIGGER invoice_status_update AFTER UPDATE ON invoices FOR EACH ROW
WHEN (OLD.status <> NEW.status AND (OLD.status IN ('SYNCED', 'SYNC_FAILED') OR NEW.status IN ('SYNCED', 'SYNC_FAILED'))) EXECUTE FUNCTION invoice_status_differs();
CREATE TRIGGER invoice_status_delete AFTER DELETE ON invoices FOR EACH ROW EXECUTE FUNCTION invoice_status_differs();

-- +goose Down
-- No job counts meanwhile. A change of an invoice waits before it reads the view or writes to
-- invoices_uncounted, so that it has no lock for which this migration waits.
SELECT pg_advisory_xact_lock(hashtextextended('docledger sums', 0));
LOCK TABLE invoices IN ACCESS EXCLUSIVE MODE;
DROP TRIGGER invoice_status_delete ON invoices;
DROP TRIGGER invoice_status_update ON invoices;
DROP TRIGGER invoice_status_insert ON invoices;
DROP FUNCTION invoice_status_differs();
CREATE OR REPLACE TRIGGER invoice_sums_update BEFORE UPDATE ON invoices FOR EACH ROW
WHEN (OLD.version <> NEW.version OR OLD.entity_id <> NEW.entity_id OR OLD.status <> NEW.status OR OLD.type <> NEW.type OR OLD.currency <> NEW.currency
    OR OLD.issue_date IS DISTINCT FROM NEW.issue_date OR OLD.seller_tax_id <> NEW.seller_tax_id OR OLD.seller_name <> NEW.seller_name
    OR OLD.net_fixed IS DISTINCT FROM NEW.net_fixed OR OLD.tax_fixed IS DISTINCT FROM NEW.tax_fixed
    OR OLD.gross_fixed IS DISTINCT FROM NEW.gross_fixed OR OLD.due_fixed IS DISTINCT FROM NEW.due_fixed)
EXECUTE FUNCTION invoice_sums_subtract();
DELETE FROM invoice_sum_changes WHERE part IN ('due_month', 'created_month');
DELETE FROM invoice_sums WHERE part IN ('due_month', 'created_month');
CREATE OR REPLACE VIEW invoice_sum_parts AS
SELECT i.id AS invoice_id, i.organization_id, 'invoice' AS part, i.entity_id, i.currency, i.status, i.type,
    coalesce(to_char(i.issue_date, 'YYYY-MM'), '') AS month, '' AS key_a, '' AS key_b, 1 AS invoices,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0) AS net, (i.net_fixed IS NOT NULL)::int AS nets,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0) AS tax, (i.tax_fixed IS NOT NULL)::int AS taxes,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0) AS gross, (i.gross_fixed IS NOT NULL)::int AS grosses,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0) AS due, (i.due_fixed IS NOT NULL)::int AS dues
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'supplier', i.entity_id, i.currency, i.status, i.type, '', i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), (i.net_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), (i.tax_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), (i.gross_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), (i.due_fixed IS NOT NULL)::int
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'tax', i.entity_id, i.currency, i.status, i.type, coalesce(to_char(i.issue_date, 'YYYY-MM'), ''), x.category,
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
GROUP BY i.id, l.account_id
UNION ALL
SELECT i.id, i.organization_id, 'supplier_month', '00000000-0000-0000-0000-000000000000'::uuid, i.currency, '', '', coalesce(to_char(i.issue_date, 'YYYY-MM'), ''), i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), (i.net_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), (i.tax_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), (i.gross_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), (i.due_fixed IS NOT NULL)::int
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'account_month', '00000000-0000-0000-0000-000000000000'::uuid, i.currency, '', '', coalesce(to_char(i.issue_date, 'YYYY-MM'), ''), l.account_id, '', 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(l.net_fixed), 0), count(l.net_fixed), 0, 0, 0, 0, 0, 0
FROM invoices AS i JOIN invoice_lines AS l ON l.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, l.account_id
UNION ALL
SELECT i.id, i.organization_id, 'supplier_account', '00000000-0000-0000-0000-000000000000'::uuid, i.currency, '', l.account_id, '', i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(l.net_fixed), 0), count(l.net_fixed), 0, 0, 0, 0, 0, 0
FROM invoices AS i JOIN invoice_lines AS l ON l.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, l.account_id
UNION ALL
SELECT i.id, i.organization_id, 'supplier_tax', '00000000-0000-0000-0000-000000000000'::uuid, i.currency, x.category, coalesce(CASE WHEN x.rate LIKE '%.%' THEN rtrim(rtrim(x.rate, '0'), '.') ELSE x.rate END, ''), '', i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.base_fixed), 0), count(x.base_fixed),
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.amount_fixed), 0), count(x.amount_fixed),
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.base_fixed + x.amount_fixed), 0), count(x.base_fixed + x.amount_fixed), 0, 0
FROM invoices AS i JOIN invoice_taxes AS x ON x.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, x.category, coalesce(CASE WHEN x.rate LIKE '%.%' THEN rtrim(rtrim(x.rate, '0'), '.') ELSE x.rate END, '')
UNION ALL
SELECT i.id, i.organization_id, 'tax_account', '00000000-0000-0000-0000-000000000000'::uuid, i.currency, '', l.account_id, '', l.tax_category, coalesce(CASE WHEN l.tax_rate LIKE '%.%' THEN rtrim(rtrim(l.tax_rate, '0'), '.') ELSE l.tax_rate END, ''), 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(l.net_fixed), 0), count(l.net_fixed), 0, 0, 0, 0, 0, 0
FROM invoices AS i JOIN invoice_lines AS l ON l.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, l.account_id, l.tax_category, coalesce(CASE WHEN l.tax_rate LIKE '%.%' THEN rtrim(rtrim(l.tax_rate, '0'), '.') ELSE l.tax_rate END, '');
