package store

import (
	"context"
	"strings"
	"time"

	"docledger/domain/document"
	"docledger/domain/identity"
	"docledger/domain/job"
	"docledger/domain/page"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

type documentRow struct {
	ID               uuid.UUID `gorm:"primaryKey"`
	EntityID         uuid.UUID
	OrganizationID   uuid.UUID
	Filename         string
	SearchFile       string // the folded file name; "" in rows of earlier releases
	MediaType        string
	SizeBytes        int64
	SHA256           string `gorm:"column:sha256"`
	PageCount        int
	Origin           document.Origin
	IntegrationID    *uuid.UUID
	SourcePath       string
	Status           document.Status
	Failure          *jsonOf[failureJSON]
	HeldReason       string
	ExternalID       string
	InvoiceID        *uuid.UUID
	RelatedInvoiceID *uuid.UUID // no foreign key: documents are loaded before invoices
	ParentID         *uuid.UUID
	Part             int
	Pages            *jsonOf[pagesJSON]
	Attachments      jsonOf[[]attachmentJSON]
	Signatures       *jsonOf[[]signatureJSON]
	Known            *jsonOf[[]uuid.UUID]
	Email            *jsonOf[emailJSON]
	MergedFrom       *jsonOf[[]uuid.UUID]
	Attempts         int
	Interruptions    int
	Run              int
	Restarts         int
	Requested        bool
	Forced           bool
	Version          int
	CreatedBy        *uuid.UUID
	CreatedAt        time.Time `gorm:"autoCreateTime:false"`
	UpdatedAt        time.Time `gorm:"autoUpdateTime:false"`
}

// TableName implements gorm's tabler.
func (documentRow) TableName() string { return "documents" }

type failureJSON struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type pagesJSON struct {
	From int `json:"from"`
	To   int `json:"to"`
}

type attachmentJSON struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	SizeBytes int64  `json:"size_bytes"`
}

type signatureJSON struct {
	Signer   string    `json:"signer,omitempty"`
	SignedAt time.Time `json:"signed_at,omitzero"`
}

type emailJSON struct {
	From     string `json:"from"`
	Subject  string `json:"subject"`
	SPF      string `json:"spf"`
	DKIM     string `json:"dkim"`
	DMARC    string `json:"dmarc"`
	Accepted bool   `json:"accepted"`
}

func emailToJSON(e document.Email) emailJSON {
	e.From, e.Subject = clean(e.From), clean(e.Subject)
	return emailJSON(e)
}

// signatures returns those of a row; rows without any have NULL.
func (r documentRow) signatures() []document.Signature {
	if r.Signatures == nil {
		return nil
	}
	return mapped(r.Signatures.V, func(s signatureJSON) document.Signature { return document.Signature(s) })
}

func signaturesJSON(list []document.Signature) *jsonOf[[]signatureJSON] {
	if len(list) == 0 {
		return nil
	}
	return &jsonOf[[]signatureJSON]{mapped(list, func(s document.Signature) signatureJSON {
		return signatureJSON{Signer: clean(s.Signer), SignedAt: s.SignedAt}
	})}
}

// idsOf returns the ids of a column that is NULL where there are none.
func idsOf(column *jsonOf[[]uuid.UUID]) []uuid.UUID {
	if column == nil {
		return nil
	}
	return column.V
}

func idsJSON(list []uuid.UUID) *jsonOf[[]uuid.UUID] {
	if len(list) == 0 {
		return nil
	}
	return &jsonOf[[]uuid.UUID]{list}
}

func (r documentRow) fromRow() document.Document {
	return document.Document{
		ID: r.ID, EntityID: r.EntityID, OrganizationID: r.OrganizationID, Filename: r.Filename,
		MediaType: r.MediaType, SizeBytes: r.SizeBytes, SHA256: r.SHA256, PageCount: r.PageCount, Origin: r.Origin,
		IntegrationID: fromOptionalID(r.IntegrationID), SourcePath: r.SourcePath, Status: r.Status,
		Failure:    fromOptionalJSON(r.Failure, func(f failureJSON) document.Failure { return document.Failure(f) }),
		HeldReason: r.HeldReason, ExternalID: r.ExternalID, InvoiceID: fromOptionalID(r.InvoiceID), RelatedInvoiceID: fromOptionalID(r.RelatedInvoiceID), ParentID: fromOptionalID(r.ParentID), Part: r.Part,
		Pages:       fromOptionalJSON(r.Pages, func(p pagesJSON) document.Pages { return document.Pages(p) }),
		Attachments: mapped(r.Attachments.V, func(a attachmentJSON) document.Attachment { return document.Attachment(a) }),
		Signatures:  r.signatures(),
		Known:       idsOf(r.Known),
		MergedFrom:  idsOf(r.MergedFrom),
		Email:       fromOptionalJSON(r.Email, func(e emailJSON) document.Email { return document.Email(e) }),
		Attempts:    r.Attempts, Interruptions: r.Interruptions, Run: r.Run, Restarts: r.Restarts, Requested: r.Requested, Forced: r.Forced,
		Version: r.Version, CreatedBy: fromOptionalID(r.CreatedBy),
		CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}
}

func toDocumentRow(d *document.Document) documentRow {
	attachments := mapped(d.Attachments, func(a document.Attachment) attachmentJSON { return attachmentJSON(a) })
	return documentRow{
		ID: d.ID, EntityID: d.EntityID, OrganizationID: d.OrganizationID, Filename: clean(d.Filename), SearchFile: folded(d.Filename),
		MediaType: clean(d.MediaType), SizeBytes: d.SizeBytes, SHA256: d.SHA256, PageCount: d.PageCount, Origin: d.Origin,
		IntegrationID: optionalID(d.IntegrationID), SourcePath: clean(d.SourcePath), Status: d.Status,
		Failure:    optionalJSON(d.Failure, func(f document.Failure) failureJSON { return failureJSON(f) }),
		HeldReason: d.HeldReason, ExternalID: clean(d.ExternalID), InvoiceID: optionalID(d.InvoiceID), RelatedInvoiceID: optionalID(d.RelatedInvoiceID), ParentID: optionalID(d.ParentID), Part: d.Part,
		Pages:       optionalJSON(d.Pages, func(p document.Pages) pagesJSON { return pagesJSON(p) }),
		Attachments: jsonOf[[]attachmentJSON]{attachments},
		Signatures:  signaturesJSON(d.Signatures),
		Known:       idsJSON(d.Known),
		MergedFrom:  idsJSON(d.MergedFrom),
		Email:       optionalJSON(d.Email, emailToJSON),
		Attempts:    d.Attempts, Interruptions: d.Interruptions, Run: d.Run, Restarts: d.Restarts, Requested: d.Requested, Forced: d.Forced,
		Version: d.Version, CreatedBy: optionalID(d.CreatedBy),
		CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt,
	}
}

// Documents implements document.Repository and document.Orphans.
type Documents struct{ s *Store }

// Add implements document.Repository.
func (r Documents) Add(ctx context.Context, d *document.Document) (*document.Document, error) {
	r.s.stamp(&d.CreatedAt)
	r.s.stamp(&d.UpdatedAt)
	d.Version = max(d.Version, 1)
	for {
		in, err := insertionOf(ctx, r.s, []documentRow{toDocumentRow(d)})
		if err != nil {
			return nil, failed("add the document", err)
		}
		in.after = " ON CONFLICT (entity_id, sha256) WHERE part = 0 DO NOTHING"
		if added, err := r.s.insert(ctx, in); err != nil || added > 0 {
			return nil, failed("add the document", err)
		}
		var there []documentRow
		err = r.s.handle(ctx).Where("organization_id = ? AND entity_id = ? AND sha256 = ? AND part = 0",
			d.OrganizationID, d.EntityID, d.SHA256).Limit(1).Find(&there).Error
		if err != nil {
			return nil, failed("look up the existing document", err)
		}
		if len(there) > 0 {
			existing := there[0].fromRow()
			return &existing, nil
		}
		// The existing document was deleted a moment ago.
	}
}

// Get implements document.Reader.
func (r Documents) Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*document.Document, error) {
	return r.get(ctx, s, id, "")
}

func (r Documents) get(ctx context.Context, s identity.Scope, id uuid.UUID, locked string) (*document.Document, error) {
	condition, values := withinScope("documents", s)
	row, err := readFirst[documentRow](ctx, r.s, condition+" AND documents.id = ?"+locked, append(values, id)...)
	if err != nil {
		return nil, found("document", err)
	}
	d := row.fromRow()
	return &d, nil
}

// List implements document.Reader.
func (r Documents) List(ctx context.Context, s identity.Scope, f document.Filter, sort document.Sort, p page.Request) (page.Of[document.Document], error) {
	b := documentBinding(s, f, sort)
	order := documentSorting(sort)
	after, err := order.after(b, p.After)
	if err != nil {
		return page.Of[document.Document]{}, err
	}
	var rows []documentRow
	err = r.s.list(r.s.handle(ctx), listing{
		table: "documents", key: "id", order: order.clause(), scope: s, entity: f.EntityID, limit: p.Size() + 1,
		narrow: func(q *gorm.DB, t string) *gorm.DB { return after(narrowDocuments(q, t, f), t) },
	}).Find(&rows).Error
	if err != nil {
		return page.Of[document.Document]{}, failed("list documents", err)
	}
	return pageOf(rows, p.Size(), documentRow.fromRow, func(r documentRow) string { return b.cursor(order.key(r)) }), nil
}

func documentBinding(s identity.Scope, f document.Filter, sort document.Sort) binding {
	b := bind("documents", s.OrganizationID).with("entity", f.EntityID).with("parent", f.ParentID).with("q", f.Query)
	b = withAll(withAll(withAll(b, "status", f.Statuses), "external", f.ExternalIDs), "source", f.Origins)
	b = b.with("integrations", sortedIDs(f.IntegrationIDs)).with("created by", f.CreatedBy).with("from", f.CreatedFrom).with("to", f.CreatedTo)
	return b.with("by update", sort.ByUpdate).with("ascending", sort.Ascending).done()
}

func narrowDocuments(q *gorm.DB, t string, f document.Filter) *gorm.DB {
	q = whereIn(q, t+".status", f.Statuses)
	q = whereIn(q, t+".origin", f.Origins)
	q = whereIn(q, t+".integration_id", f.IntegrationIDs)
	q = whereExternal(q, t, f.ExternalIDs)
	if f.ParentID != uuid.Nil {
		q = q.Where(t+".parent_id = ?", f.ParentID)
	}
	if f.CreatedBy != uuid.Nil {
		q = q.Where(t+".created_by = ?", f.CreatedBy)
	}
	if !f.CreatedFrom.IsZero() {
		q = q.Where(t+".created_at >= ?", instant(f.CreatedFrom))
	}
	if !f.CreatedTo.IsZero() {
		q = q.Where(t+".created_at < ?", instant(f.CreatedTo))
	}
	if f.Query != "" {
		// Documents of earlier releases may have no folded name. SQLite lowers only ASCII letters, so
		// the name is compared in both cases.
		q = q.Where("("+t+`.search_file LIKE ? ESCAPE '\' OR lower(`+t+`.filename) LIKE ? ESCAPE '\' OR lower(`+t+`.filename) LIKE ? ESCAPE '\')`,
			likePattern(folded(f.Query)), likePattern(strings.ToLower(f.Query)), likePattern(lowerASCII(f.Query)))
	}
	return q
}

// Update implements document.Repository. Outside of a transaction it needs one only if the document
// changes after it was read.
func (r Documents) Update(ctx context.Context, s identity.Scope, id uuid.UUID, change func(*document.Document) error) (*document.Document, error) {
	if r.s.inTx(ctx) {
		return r.updateLocked(ctx, s, id, change)
	}
	seen, err := r.Get(ctx, s, id)
	if err != nil {
		return nil, err
	}
	return r.UpdateSeen(ctx, s, seen, change)
}

// UpdateSeen implements document.Repository. Every change increments the version, so that a document
// with the version that was seen is the one that was seen.
func (r Documents) UpdateSeen(ctx context.Context, s identity.Scope, seen *document.Document, change func(*document.Document) error) (*document.Document, error) {
	d := *seen
	// A change that refuses this state may accept one that is stored at this moment.
	if err := change(&d); err != nil {
		return r.updateLocked(ctx, s, seen.ID, change)
	}
	row := r.changed(seen, &d)
	condition, values := withinScope("documents", s)
	stored, err := r.s.saveIf(ctx, &row, condition+" AND documents.version = ?", append(values, seen.Version), "organization_id", "created_at")
	if err != nil {
		return nil, failed("change the document", err)
	}
	if !stored {
		return r.updateLocked(ctx, s, seen.ID, change)
	}
	return &d, nil
}

// changed completes a changed document and returns its row.
func (r Documents) changed(before, d *document.Document) documentRow {
	d.ID, d.OrganizationID, d.CreatedAt, d.Version = before.ID, before.OrganizationID, before.CreatedAt, before.Version+1
	r.s.touch(&d.UpdatedAt, before.UpdatedAt)
	return toDocumentRow(d)
}

// updateLocked is Update with a row lock.
func (r Documents) updateLocked(ctx context.Context, s identity.Scope, id uuid.UUID, change func(*document.Document) error) (*document.Document, error) {
	var d *document.Document
	err := r.s.inOne(ctx, func(ctx context.Context) (err error) {
		if d, err = r.get(ctx, s, id, r.s.forUpdate("documents")); err != nil {
			return err
		}
		before := *d
		if err := change(d); err != nil {
			return err
		}
		row := r.changed(&before, d)
		return failed("change the document", save(r.s.handle(ctx), &row, "organization_id", "created_at"))
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Unfinished implements document.Orphans. Only the sweep uses it, so it has no scope.
func (r Documents) Unfinished(ctx context.Context, before time.Time, limit int) ([]document.Document, error) {
	var rows []documentRow
	// The first condition is a literal, so that the database can use the partial index.
	err := r.s.jobless(ctx, r.s.idText("documents.id"), "DocumentID", []string{job.Extraction.Name, job.Scan.Name}, func(q *gorm.DB) error {
		return q.Where("documents.status IN ('UPLOADED', 'PROCESSING') AND documents.updated_at < ?", instant(before)).
			Where("(documents.status = 'PROCESSING' OR (documents.requested AND documents.held_reason = ''))").
			Order("documents.updated_at, documents.id").Limit(limit).Find(&rows).Error
	})
	return mapped(rows, documentRow.fromRow), failed("look for unfinished documents", err)
}

// held is a literal condition, so that the database can use the partial index.
const held = "documents.status IN ('UPLOADED', 'PROCESSING') AND documents.held_reason = '" + document.HeldPlanLimit + "'"

// HeldIn implements document.Orphans.
func (r Documents) HeldIn(ctx context.Context) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	// Without MATERIALIZED, SQLite groups by an index of the organization, which has every document.
	err := r.s.handle(ctx).Raw("WITH found AS MATERIALIZED (?) SELECT organization_id FROM found GROUP BY organization_id ORDER BY MIN(updated_at), organization_id",
		r.s.handle(ctx).Model(&documentRow{}).Where(held).Select("documents.organization_id", "documents.updated_at")).
		Scan(&ids).Error
	return ids, failed("look for organizations with held documents", err)
}

// Held implements document.Orphans.
func (r Documents) Held(ctx context.Context, organization uuid.UUID, limit int) ([]document.Document, error) {
	var rows []documentRow
	err := r.s.handle(ctx).Where(held).Where("documents.organization_id = ?", organization).
		Order("documents.updated_at, documents.id").Limit(limit).Find(&rows).Error
	return mapped(rows, documentRow.fromRow), failed("look for held documents", err)
}

// EachForOperator visits every document of the installation in the order of ids, until visit
// returns an error.
func (r Documents) EachForOperator(ctx context.Context, visit func(document.Document) error) error {
	last := uuid.Nil
	for {
		var rows []documentRow
		if err := r.s.handle(ctx).Where("id > ?", last).Order("id").Limit(batch).Find(&rows).Error; err != nil {
			return failed("list documents", err)
		}
		for _, row := range rows {
			if err := visit(row.fromRow()); err != nil {
				return err
			}
			last = row.ID
		}
		if len(rows) < batch {
			return nil
		}
	}
}
