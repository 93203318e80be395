package store

import (
	"context"
	"time"

	"docledger/domain/email"
	"docledger/domain/identity"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type emailIntakeRow struct {
	EntityID       uuid.UUID `gorm:"primaryKey"`
	OrganizationID uuid.UUID
	Token          string
	Senders        jsonOf[[]string]
	OnlySenders    bool
	AnswerSenders  bool
	UpdatedAt      time.Time `gorm:"autoUpdateTime:false"`
}

// TableName implements gorm's tabler.
func (emailIntakeRow) TableName() string { return "email_intakes" }

func (r emailIntakeRow) fromRow() email.Intake {
	return email.Intake{
		EntityID: r.EntityID, OrganizationID: r.OrganizationID, Token: r.Token,
		Senders: r.Senders.V, OnlySenders: r.OnlySenders, AnswerSenders: r.AnswerSenders, UpdatedAt: instant(r.UpdatedAt),
	}
}

func toEmailIntakeRow(i *email.Intake) emailIntakeRow {
	senders := i.Senders
	if senders == nil {
		senders = []string{}
	}
	return emailIntakeRow{
		EntityID: i.EntityID, OrganizationID: i.OrganizationID, Token: i.Token,
		Senders: jsonOf[[]string]{senders}, OnlySenders: i.OnlySenders, AnswerSenders: i.AnswerSenders, UpdatedAt: i.UpdatedAt,
	}
}

// EmailIntakes implements email.Intakes.
type EmailIntakes struct{ s *Store }

// EmailIntakes returns the repository of the e-mail addresses of entities.
func (s *Store) EmailIntakes() EmailIntakes { return EmailIntakes{s} }

// Get implements email.Intakes.
func (r EmailIntakes) Get(ctx context.Context, s identity.Scope, entity uuid.UUID) (*email.Intake, error) {
	return r.one(r.s.within(r.s.handle(ctx), "email_intakes", s).Where("email_intakes.entity_id = ?", entity))
}

func (r EmailIntakes) one(q *gorm.DB) (*email.Intake, error) {
	var rows []emailIntakeRow
	if err := q.Limit(1).Find(&rows).Error; err != nil || len(rows) == 0 {
		return nil, failed("find the e-mail address", err)
	}
	i := rows[0].fromRow()
	return &i, nil
}

// Add implements email.Intakes.
func (r EmailIntakes) Add(ctx context.Context, i *email.Intake) error {
	r.s.stamp(&i.UpdatedAt)
	row := toEmailIntakeRow(i)
	err := r.s.handle(ctx).Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "entity_id"}}, DoNothing: true}).Create(&row).Error
	return failed("add the e-mail address", err)
}

// Update implements email.Intakes.
func (r EmailIntakes) Update(ctx context.Context, s identity.Scope, entity uuid.UUID, change func(*email.Intake) error) (*email.Intake, error) {
	var i *email.Intake
	err := r.s.inOne(ctx, func(ctx context.Context) error {
		var row emailIntakeRow
		err := r.s.within(r.s.handle(ctx).Clauses(lock), "email_intakes", s).Take(&row, "email_intakes.entity_id = ?", entity).Error
		if err != nil {
			return found("entity", err)
		}
		v := row.fromRow()
		i = &v
		if err := change(i); err != nil {
			return err
		}
		i.EntityID, i.OrganizationID = row.EntityID, row.OrganizationID
		r.s.touch(&i.UpdatedAt, row.UpdatedAt)
		changed := toEmailIntakeRow(i)
		return failed("change the e-mail address", save(r.s.handle(ctx), &changed, "organization_id"))
	})
	if err != nil {
		return nil, err
	}
	return i, nil
}

// OfTokenForReceiver implements email.Intakes.
func (r EmailIntakes) OfTokenForReceiver(ctx context.Context, token string) (*email.Intake, error) {
	return r.one(r.s.handle(ctx).Where("email_intakes.token = ?", token))
}
