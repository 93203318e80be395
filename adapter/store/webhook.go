package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/page"
	"docledger/domain/secret"
	"docledger/domain/webhook"

	"github.com/google/uuid"
)

type webhookRow struct {
	ID             uuid.UUID `gorm:"primaryKey"`
	OrganizationID uuid.UUID
	URL            string
	Types          jsonOf[[]string]
	EntityIDs      *jsonOf[[]uuid.UUID] `gorm:"column:entity_ids"`
	Enabled        bool
	FailingSince   *time.Time
	ResumeAt       *time.Time
	DisabledAt     *time.Time
	Sealed         []byte
	OldSecretUntil *time.Time
	CreatedBy      uuid.UUID
	CreatedAt      time.Time `gorm:"autoCreateTime:false"`
	UpdatedAt      time.Time `gorm:"autoUpdateTime:false"`
	Position       int64
	Seq            int64
}

// TableName implements gorm's tabler.
func (webhookRow) TableName() string { return "webhooks" }

// signingJSON is the encrypted part of a webhook. Old is the newest former secret,
// which signs until old_secret_until of the row.
type signingJSON struct {
	Secret  string       `json:"secret"`
	Old     string       `json:"old,omitempty"`
	Earlier []formerJSON `json:"earlier,omitempty"`
}

type formerJSON struct {
	Secret string    `json:"secret"`
	Until  time.Time `json:"until"`
}

func (j signingJSON) former(until *time.Time) (former []webhook.FormerSecret) {
	if j.Old != "" {
		former = append(former, webhook.FormerSecret{Secret: secret.New(j.Old), Until: fromOptionalTime(until)})
	}
	for _, f := range j.Earlier {
		former = append(former, webhook.FormerSecret{Secret: secret.New(f.Secret), Until: instant(f.Until)})
	}
	return former
}

func toSigningJSON(w *webhook.Webhook) (j signingJSON, until *time.Time) {
	j.Secret = w.Secret.Reveal()
	for i, f := range w.Former {
		if i == 0 {
			j.Old, until = f.Secret.Reveal(), optionalTime(f.Until)
			continue
		}
		j.Earlier = append(j.Earlier, formerJSON{Secret: f.Secret.Reveal(), Until: instant(f.Until)})
	}
	return j, until
}

func webhookBinding(id uuid.UUID) secret.Binding {
	return secret.Binding{Table: "webhooks", Row: id.String()}
}

// Webhooks implements webhook.Repository and webhook.Outbox.
type Webhooks struct{ s *Store }

// Webhooks returns the outgoing webhooks.
func (s *Store) Webhooks() Webhooks { return Webhooks{s} }

var (
	_ webhook.Repository = Webhooks{}
	_ webhook.Outbox     = Webhooks{}
	_ webhook.Deliveries = Deliveries{}
)

// known returns what a row states without a key: all but the secrets.
func (r webhookRow) known() *webhook.Webhook {
	w := &webhook.Webhook{
		ID: r.ID, OrganizationID: r.OrganizationID, URL: r.URL, Types: r.Types.V, Enabled: r.Enabled,
		FailingSince: fromOptionalTime(r.FailingSince), ResumeAt: fromOptionalTime(r.ResumeAt), DisabledAt: fromOptionalTime(r.DisabledAt),
		CreatedBy: r.CreatedBy, CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
		Cursor: event.Place{Position: r.Position, Seq: r.Seq},
	}
	if r.EntityIDs != nil {
		w.EntityIDs = r.EntityIDs.V
	}
	return w
}

func (r Webhooks) fromRow(row webhookRow) (*webhook.Webhook, error) {
	plain, err := r.s.sealer.Decrypt(webhookBinding(row.ID), row.Sealed)
	if err != nil {
		return nil, fmt.Errorf("decrypt the secret of webhook %s: %w", row.ID, err)
	}
	var signing signingJSON
	if err := json.Unmarshal(plain, &signing); err != nil {
		return nil, fmt.Errorf("read the secret of webhook %s: %w", row.ID, err)
	}
	w := row.known()
	w.Secret, w.Former = secret.New(signing.Secret), signing.former(row.OldSecretUntil)
	return w, nil
}

func (r Webhooks) toRow(w *webhook.Webhook) (webhookRow, error) {
	signing, until := toSigningJSON(w)
	plain, err := json.Marshal(signing)
	if err != nil {
		return webhookRow{}, fmt.Errorf("write the secret of webhook %s: %w", w.ID, err)
	}
	sealed, err := r.s.sealer.Encrypt(webhookBinding(w.ID), plain)
	if err != nil {
		return webhookRow{}, fmt.Errorf("encrypt the secret of webhook %s: %w", w.ID, err)
	}
	row := webhookRow{
		ID: w.ID, OrganizationID: w.OrganizationID, URL: clean(w.URL), Types: jsonOf[[]string]{w.Types}, Enabled: w.Enabled,
		FailingSince: optionalTime(w.FailingSince), ResumeAt: optionalTime(w.ResumeAt), DisabledAt: optionalTime(w.DisabledAt),
		Sealed: sealed, OldSecretUntil: until, CreatedBy: w.CreatedBy, CreatedAt: instant(w.CreatedAt),
		UpdatedAt: instant(w.UpdatedAt), Position: w.Cursor.Position, Seq: w.Cursor.Seq,
	}
	if w.EntityIDs != nil {
		row.EntityIDs = &jsonOf[[]uuid.UUID]{w.EntityIDs}
	}
	return row, nil
}

// logEnd returns the present end of the log: no event that exists and may be read
// is after it, and every event that is committed later is.
func (r Webhooks) logEnd(ctx context.Context) (end event.Place, err error) {
	if r.s.postgres {
		end.Position, err = r.s.Events().horizon(ctx)
		return end, failed("find the end of the log", err)
	}
	end.Position = r.s.position
	err = r.s.handle(ctx).Raw("SELECT coalesce(max(seq), 0) FROM events").Scan(&end.Seq).Error
	return end, failed("find the end of the log", err)
}

// Add implements webhook.Repository. The row of the organization is locked, so that
// concurrent calls cannot exceed the limit.
func (r Webhooks) Add(ctx context.Context, w *webhook.Webhook) error {
	r.s.stamp(&w.CreatedAt)
	r.s.stamp(&w.UpdatedAt)
	return r.s.inOne(ctx, func(ctx context.Context) error {
		if err := r.s.lockOrganization(ctx, w.OrganizationID); err != nil {
			return err
		}
		var n int64
		if err := r.s.handle(ctx).Model(&webhookRow{}).Where("organization_id = ?", w.OrganizationID).Count(&n).Error; err != nil {
			return failed("count the webhooks", err)
		}
		if n >= webhook.MaxPerOrganization {
			return fault.New(fault.Conflict, fault.CodeConflict,
				"The organization has %d webhooks, which is the maximum. Delete one, or add event types to one.", n)
		}
		end, err := r.logEnd(ctx)
		if err != nil {
			return err
		}
		w.Cursor = end
		row, err := r.toRow(w)
		if err != nil {
			return err
		}
		return failed("add the webhook", r.s.handle(ctx).Create(&row).Error)
	})
}

// Get implements webhook.Repository.
func (r Webhooks) Get(ctx context.Context, organization, id uuid.UUID) (*webhook.Webhook, error) {
	var row webhookRow
	if err := r.s.handle(ctx).Where("organization_id = ? AND id = ?", organization, id).Take(&row).Error; err != nil {
		return nil, found("webhook", err)
	}
	return r.fromRow(row)
}

// Describe implements webhook.Repository.
func (r Webhooks) Describe(ctx context.Context, organization, id uuid.UUID) (*webhook.Webhook, error) {
	var row webhookRow
	if err := r.s.handle(ctx).Where("organization_id = ? AND id = ?", organization, id).Take(&row).Error; err != nil {
		return nil, found("webhook", err)
	}
	return row.known(), nil
}

// List implements webhook.Repository.
func (r Webhooks) List(ctx context.Context, organization uuid.UUID, p page.Request) (page.Of[webhook.Webhook], error) {
	b := bind("webhooks", organization).done()
	after, err := b.idKey(p.After)
	if err != nil {
		return page.Of[webhook.Webhook]{}, err
	}
	q := r.s.handle(ctx).Where("organization_id = ?", organization)
	if after != uuid.Nil {
		q = q.Where("id < ?", after)
	}
	var rows []webhookRow
	if err := q.Order("id DESC").Limit(p.Size() + 1).Find(&rows).Error; err != nil {
		return page.Of[webhook.Webhook]{}, failed("list webhooks", err)
	}
	return pageOf(rows, p.Size(), func(row webhookRow) webhook.Webhook { return *row.known() },
		func(row webhookRow) string { return b.cursor(row.ID[:]) }), nil
}

// Update implements webhook.Repository.
func (r Webhooks) Update(ctx context.Context, organization, id uuid.UUID, do func(*webhook.Webhook) (bool, error)) (w *webhook.Webhook, err error) {
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		var row webhookRow
		if err := r.s.handle(ctx).Clauses(lock).Where("organization_id = ? AND id = ?", organization, id).Take(&row).Error; err != nil {
			return found("webhook", err)
		}
		if w, err = r.fromRow(row); err != nil {
			return err
		}
		restart, err := do(w)
		if err != nil {
			return err
		}
		if restart {
			if w.Cursor, err = r.logEnd(ctx); err != nil {
				return err
			}
		}
		if row, err = r.toRow(w); err != nil {
			return err
		}
		return failed("change the webhook", save(r.s.handle(ctx), &row))
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// Delete implements webhook.Repository.
func (r Webhooks) Delete(ctx context.Context, organization, id uuid.UUID) (w *webhook.Webhook, err error) {
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		if w, err = r.Describe(ctx, organization, id); err != nil {
			return err
		}
		return failed("delete the webhook", r.s.handle(ctx).Where("organization_id = ? AND id = ?", organization, id).Delete(&webhookRow{}).Error)
	})
	return w, err
}

// Due implements webhook.Outbox.
func (r Webhooks) Due(ctx context.Context, now time.Time, limit int) ([]webhook.Webhook, error) {
	var rows []webhookRow
	err := r.s.handle(ctx).Where("enabled = ? AND (resume_at IS NULL OR resume_at <= ?)", true, instant(now)).
		Where(`(EXISTS (SELECT 1 FROM events AS e WHERE e.organization_id = webhooks.organization_id AND (e.position, e.seq) > (webhooks.position, webhooks.seq))
			OR EXISTS (SELECT 1 FROM webhook_deliveries AS d WHERE d.webhook_id = webhooks.id AND d.next_attempt_at <= ?))`, instant(now)).
		Select("id", "organization_id").Order("id").Limit(limit).Find(&rows).Error
	return mapped(rows, func(row webhookRow) webhook.Webhook {
		return webhook.Webhook{ID: row.ID, OrganizationID: row.OrganizationID}
	}), failed("find due webhooks", err)
}

// Unread implements webhook.Outbox.
func (r Webhooks) Unread(ctx context.Context, organization uuid.UUID, after event.Place, limit int) ([]event.Placed, error) {
	horizon, err := r.s.Events().horizon(ctx)
	if err != nil {
		return nil, failed("find the end of the log", err)
	}
	var rows []eventRow
	err = r.s.handle(ctx).Where("organization_id = ? AND (position, seq) > (?, ?)", organization, after.Position, after.Seq).
		Order("position, seq").Limit(limit).Find(&rows).Error
	if err != nil {
		return nil, failed("read the events of a webhook", err)
	}
	events := mapped(before(horizon, rows), func(row eventRow) event.Placed {
		return event.Placed{Event: row.fromRow(), Place: event.Place{Position: row.Position, Seq: row.Seq}}
	})
	for subject, table := range map[event.SubjectType]string{event.SubjectDocument: "documents", event.SubjectInvoice: "invoices"} {
		if err := r.externalIDs(ctx, organization, events, subject, table); err != nil {
			return nil, err
		}
	}
	return events, nil
}

// externalIDs adds the ids of other programs to the subjects of one type.
func (r Webhooks) externalIDs(ctx context.Context, organization uuid.UUID, events []event.Placed, t event.SubjectType, table string) error {
	at := map[uuid.UUID][]*event.Subject{}
	for i := range events {
		if s := &events[i].Subject; s.Type == t {
			at[s.ID] = append(at[s.ID], s)
		}
	}
	if len(at) == 0 {
		return nil
	}
	var found []struct {
		ID         uuid.UUID
		ExternalID string
	}
	err := r.s.handle(ctx).Table(table).Where("organization_id = ? AND external_id <> '' AND id IN ?", organization,
		slices.Collect(maps.Keys(at))).Find(&found).Error
	for _, row := range found {
		for _, s := range at[row.ID] {
			s.ExternalID = row.ExternalID
		}
	}
	return failed("read the external ids of subjects", err)
}

// Advance implements webhook.Outbox.
func (r Webhooks) Advance(ctx context.Context, id uuid.UUID, from, to event.Place) (bool, error) {
	done := r.s.handle(ctx).Model(&webhookRow{}).
		Where("id = ? AND enabled = ? AND position = ? AND seq = ?", id, true, from.Position, from.Seq).
		Updates(map[string]any{"position": to.Position, "seq": to.Seq})
	return done.RowsAffected > 0, failed("move the cursor of the webhook", done.Error)
}

// CheckForOperator decrypts every secret. It returns the number of webhooks, and the
// number of secrets that need each missing key.
func (r Webhooks) CheckForOperator(ctx context.Context) (webhooks int, missing map[string]int, err error) {
	var rows []webhookRow
	if err := r.s.handle(ctx).Select("id", "sealed").Find(&rows).Error; err != nil {
		return 0, nil, failed("list the secrets of webhooks", err)
	}
	missing = map[string]int{}
	for _, row := range rows {
		_, found := r.fromRow(row)
		var unknown *secret.UnknownKeyError
		if errors.As(found, &unknown) {
			missing[unknown.KeyID]++
			continue
		}
		err = errors.Join(err, found)
	}
	return len(rows), missing, err
}

// ResealForRotation encrypts every secret with the current key. It returns how many
// were encrypted with another key.
func (r Webhooks) ResealForRotation(ctx context.Context) (n int, err error) {
	var rows []webhookRow
	if err := r.s.handle(ctx).Select("id", "organization_id", "sealed").Find(&rows).Error; err != nil {
		return 0, failed("list the secrets of webhooks", err)
	}
	for _, row := range rows {
		if r.s.sealer.UsesCurrentKey(row.Sealed) {
			continue
		}
		// Update encrypts again, under the lock of the row.
		_, err := r.Update(ctx, row.OrganizationID, row.ID, func(*webhook.Webhook) (bool, error) { return false, nil })
		if err != nil && fault.CodeOf(err) != fault.CodeNotFound {
			return n, err
		}
		n++
	}
	return n, nil
}
