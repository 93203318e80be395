-- +goose Up
-- Adds the counted invoices to the groups of 'due_month' and 'created_month', and the invoices of which the status does not
-- tell the state of the sync to invoice_sync_differences. No job counts meanwhile, but invoices change.
SELECT pg_advisory_xact_lock(hashtextextended('docledger sums', 0));
INSERT INTO invoice_sync_differences (organization_id, invoice_id)
    SELECT i.organization_id, i.id FROM invoices AS i LEFT JOIN invoice_syncs AS b ON b.invoice_id = i.id
    WHERE CASE i.status WHEN 'SYNCED' THEN 'DONE' WHEN 'SYNC_FAILED' THEN 'FAILED' ELSE '' END <> CASE WHEN b.state IN ('DONE', 'FAILED') THEN b.state ELSE '' END
    ON CONFLICT DO NOTHING;
DELETE FROM invoice_sums WHERE part IN ('due_month', 'created_month');
-- One statement sees the changes and the invoices of one time. Changes until then are of invoices that it does not add,
-- and later changes are of invoices that it adds.
WITH earlier AS (DELETE FROM invoice_sum_changes WHERE part IN ('due_month', 'created_month'))
INSERT INTO invoice_sums (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
    SELECT organization_id, part, entity_id, currency, status, type, month, key_a, key_b, sum(invoices), sum(net), sum(nets), sum(tax), sum(taxes), sum(gross), sum(grosses), sum(due), sum(dues)
    FROM invoice_sum_parts AS p
    WHERE part IN ('due_month', 'created_month') AND NOT EXISTS (SELECT 1 FROM invoices_uncounted AS u WHERE u.organization_id = p.organization_id AND u.invoice_id = p.invoice_id)
    GROUP BY organization_id, part, entity_id, currency, status, type, month, key_a, key_b;

-- +goose Down
SELECT 1; -- the migrations before remove the groups and the table
