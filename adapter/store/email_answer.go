package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"docledger/domain/email"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"
)

type emailAnswerRow struct {
	DocumentID     uuid.UUID `gorm:"primaryKey"`
	EntityID       uuid.UUID
	OrganizationID uuid.UUID
	Recipient      string
	Subject        string
	MessageID      string
	State          email.AnswerState
	Attempts       int
	NextAttemptAt  *time.Time
	Failure        string
	CreatedAt      time.Time `gorm:"autoCreateTime:false"`
	UpdatedAt      time.Time `gorm:"autoUpdateTime:false"`
}

// TableName implements gorm's tabler.
func (emailAnswerRow) TableName() string { return "email_answers" }

func (r emailAnswerRow) fromRow() email.Answer {
	return email.Answer{
		DocumentID: r.DocumentID, EntityID: r.EntityID, OrganizationID: r.OrganizationID, To: r.Recipient, Subject: r.Subject,
		MessageID: r.MessageID, State: r.State, Attempts: r.Attempts, NextAttemptAt: fromOptionalTime(r.NextAttemptAt),
		Failure: r.Failure, CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}
}

func toEmailAnswerRow(a *email.Answer) emailAnswerRow {
	return emailAnswerRow{
		DocumentID: a.DocumentID, EntityID: a.EntityID, OrganizationID: a.OrganizationID, Recipient: clean(a.To), Subject: clean(a.Subject),
		MessageID: clean(a.MessageID), State: a.State, Attempts: a.Attempts, NextAttemptAt: optionalTime(a.NextAttemptAt),
		Failure: clean(a.Failure), CreatedAt: instant(a.CreatedAt), UpdatedAt: instant(a.UpdatedAt),
	}
}

// EmailAnswers implements email.Answers.
type EmailAnswers struct{ s *Store }

var _ email.Answers = EmailAnswers{}

// EmailAnswers returns the repository of the answers to received e-mail.
func (s *Store) EmailAnswers() EmailAnswers { return EmailAnswers{s} }

// emailAnswerMark is what is known of an answer when the document of its message is deleted.
type emailAnswerMark struct {
	AnswerHash     string `gorm:"primaryKey"`
	OrganizationID uuid.UUID
	RecipientHash  string
	DomainHash     string
	CreatedAt      time.Time `gorm:"autoCreateTime:false"`
}

// TableName implements gorm's tabler.
func (emailAnswerMark) TableName() string { return "email_answer_marks" }

// answerHash identifies texts without containing them. None of them has a line break.
func answerHash(texts ...string) string {
	sum := sha256.Sum256([]byte(clean(strings.Join(texts, "\n"))))
	return hex.EncodeToString(sum[:])
}

// Add implements email.Answers.
func (r EmailAnswers) Add(ctx context.Context, a *email.Answer) error {
	return r.s.inOne(ctx, func(ctx context.Context) error {
		key := a.MessageID
		if key == "" { // the message is the document
			key = a.DocumentID.String()
		}
		added := r.s.handle(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&emailAnswerMark{
			AnswerHash: answerHash(a.To, key), OrganizationID: a.OrganizationID, RecipientHash: answerHash(a.To),
			DomainHash: answerHash(a.EntityID.String(), strings.ToLower(email.DomainOf(a.To))), CreatedAt: instant(a.CreatedAt),
		})
		if added.Error != nil || added.RowsAffected == 0 {
			return failed("mark the answer", added.Error)
		}
		row := toEmailAnswerRow(a)
		return failed("add the answer", r.s.handle(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error)
	})
}

// CountForReceiver implements email.Answers.
func (r EmailAnswers) CountForReceiver(ctx context.Context, to string, since time.Time) (int, error) {
	return r.count(ctx, "recipient_hash", answerHash(to), since)
}

// CountForDomain implements email.Answers.
func (r EmailAnswers) CountForDomain(ctx context.Context, entity uuid.UUID, domain string, since time.Time) (int, error) {
	return r.count(ctx, "domain_hash", answerHash(entity.String(), strings.ToLower(domain)), since)
}

func (r EmailAnswers) count(ctx context.Context, column, hash string, since time.Time) (int, error) {
	if r.s.postgres { // SQLite has one writer, which the transaction already is
		err := r.s.handle(ctx).Exec("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", "docledger answers "+hash).Error
		if err != nil {
			return 0, failed("wait for other answers", err)
		}
	}
	var n int64
	err := r.s.handle(ctx).Model(&emailAnswerMark{}).Where(column+" = ? AND created_at >= ?", hash, instant(since)).Count(&n).Error
	return int(n), failed("count the answers", err)
}

// Due implements email.Answers.
func (r EmailAnswers) Due(ctx context.Context, now time.Time, limit int) ([]email.Answer, error) {
	var rows []emailAnswerRow
	err := r.s.handle(ctx).Where("next_attempt_at <= ?", instant(now)).Order("next_attempt_at, document_id").Limit(limit).Find(&rows).Error
	return mapped(rows, emailAnswerRow.fromRow), failed("find due answers", err)
}

// Get implements email.Answers.
func (r EmailAnswers) Get(ctx context.Context, organization, document uuid.UUID) (*email.Answer, error) {
	var row emailAnswerRow
	if err := r.s.handle(ctx).Take(&row, "organization_id = ? AND document_id = ?", organization, document).Error; err != nil {
		return nil, found("answer", err)
	}
	a := row.fromRow()
	return &a, nil
}

// Update implements email.Answers.
func (r EmailAnswers) Update(ctx context.Context, organization, document uuid.UUID, do func(*email.Answer) error) (*email.Answer, error) {
	var a email.Answer
	err := r.s.inOne(ctx, func(ctx context.Context) error {
		var row emailAnswerRow
		err := r.s.handle(ctx).Clauses(lock).Take(&row, "organization_id = ? AND document_id = ?", organization, document).Error
		if err != nil {
			return found("answer", err)
		}
		a = row.fromRow()
		if err := do(&a); err != nil {
			return err
		}
		row = toEmailAnswerRow(&a)
		return failed("change the answer", save(r.s.handle(ctx), &row, "organization_id", "entity_id"))
	})
	if err != nil {
		return nil, err
	}
	return &a, nil
}

// Expire implements email.Answers.
func (r EmailAnswers) Expire(ctx context.Context, ended, added time.Time) error {
	err := r.s.handle(ctx).Where("next_attempt_at IS NULL AND updated_at < ? OR next_attempt_at IS NOT NULL AND created_at < ?",
		instant(ended), instant(added)).Delete(&emailAnswerRow{}).Error
	if err != nil {
		return failed("remove old answers", err)
	}
	return failed("forget old answers", r.s.handle(ctx).Where("created_at < ?", instant(ended)).Delete(&emailAnswerMark{}).Error)
}
