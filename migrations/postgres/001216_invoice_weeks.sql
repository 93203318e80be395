-- +goose NO TRANSACTION
-- +goose Up
-- Lists of a range of one date in the order of another one, which begins with invoices outside the range. A row says
-- that an invoice may have two dates in two weeks, so that such a list skips the weeks without a row. Rows are only
-- added: a week without invoices is read in vain, but none is skipped that has one. Week 0 is that of invoices without the
-- date, and week 1 begins with the calendar.
-- Each statement is a transaction of its own, so that the release before writes meanwhile. After an interruption the
-- next attempt starts again. The trigger exists before the invoices are read: it waits for the changes before it.
-- The index is not unique, because a change would wait for the same row of another one. A row that two changes store at
-- the same time exists twice. So the key is a number: a logical replication deletes rows by their key.
CREATE TABLE IF NOT EXISTS invoice_weeks (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id uuid NOT NULL,
    pair            text NOT NULL,
    week_a          integer NOT NULL,
    week_b          integer NOT NULL
);
CREATE INDEX IF NOT EXISTS invoice_weeks_of ON invoice_weeks (organization_id, pair, week_a, week_b);
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION invoice_week(day date) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT CASE WHEN day > '0001-01-01'::date THEN (day - '0001-01-01'::date) / 7 + 1 ELSE 0 END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION invoice_weeks_add() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    created integer := invoice_week((NEW.created_at AT TIME ZONE 'UTC')::date);
    updated integer := invoice_week((NEW.updated_at AT TIME ZONE 'UTC')::date);
    issue integer := invoice_week(NEW.issue_date);
    due integer := invoice_week(NEW.due_date);
BEGIN
    INSERT INTO invoice_weeks (organization_id, pair, week_a, week_b)
        SELECT NEW.organization_id, p.pair, p.week_a, p.week_b FROM (VALUES
            ('created_issue', created, issue),
            ('created_due', created, due),
            ('created_updated', created, updated),
            ('issue_due', issue, due),
            ('issue_updated', issue, updated),
            ('due_updated', due, updated)) AS p (pair, week_a, week_b)
        WHERE NOT EXISTS (SELECT FROM invoice_weeks AS w WHERE w.organization_id = NEW.organization_id
            AND w.pair = p.pair AND w.week_a = p.week_a AND w.week_b = p.week_b);
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = 'invoices'::regclass AND tgname = 'invoice_weeks_insert') THEN
        CREATE TRIGGER invoice_weeks_insert AFTER INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION invoice_weeks_add();
    END IF;
    IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = 'invoices'::regclass AND tgname = 'invoice_weeks_update') THEN
        CREATE TRIGGER invoice_weeks_update AFTER UPDATE ON invoices FOR EACH ROW
        WHEN (OLD.organization_id <> NEW.organization_id OR OLD.created_at <> NEW.created_at
            OR OLD.issue_date IS DISTINCT FROM NEW.issue_date OR OLD.due_date IS DISTINCT FROM NEW.due_date
            OR (OLD.updated_at AT TIME ZONE 'UTC')::date <> (NEW.updated_at AT TIME ZONE 'UTC')::date)
        EXECUTE FUNCTION invoice_weeks_add();
    END IF;
END $$;
-- +goose StatementEnd
INSERT INTO invoice_weeks (organization_id, pair, week_a, week_b)
    SELECT DISTINCT i.organization_id, p.pair, p.week_a, p.week_b
    FROM (SELECT DISTINCT organization_id, invoice_week((created_at AT TIME ZONE 'UTC')::date) AS created, invoice_week((updated_at AT TIME ZONE 'UTC')::date) AS updated,
            invoice_week(issue_date) AS issue, invoice_week(due_date) AS due FROM invoices) AS i
    CROSS JOIN LATERAL (VALUES
            ('created_issue', i.created, i.issue),
            ('created_due', i.created, i.due),
            ('created_updated', i.created, i.updated),
            ('issue_due', i.issue, i.due),
            ('issue_updated', i.issue, i.updated),
            ('due_updated', i.due, i.updated)) AS p (pair, week_a, week_b)
    WHERE NOT EXISTS (SELECT FROM invoice_weeks AS w WHERE w.organization_id = i.organization_id
        AND w.pair = p.pair AND w.week_a = p.week_a AND w.week_b = p.week_b);

-- +goose Down
DROP TRIGGER IF EXISTS invoice_weeks_update ON invoices;
DROP TRIGGER IF EXISTS invoice_weeks_insert ON invoices;
DROP FUNCTION IF EXISTS invoice_weeks_add();
DROP FUNCTION IF EXISTS invoice_week(date);
DROP TABLE IF EXISTS invoice_weeks;
