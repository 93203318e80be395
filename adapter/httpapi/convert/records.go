package convert

import (
	"docledger/domain/document"
	"docledger/domain/email"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/identity"
	"docledger/gen/backend"
	"docledger/usecase/session"

	"github.com/google/uuid"
	"github.com/oapi-codegen/nullable"
)

type uuidType = uuid.UUID

// ToAPIDocument returns a document.
func (w Web) ToAPIDocument(d *document.Document) backend.Document {
	return backend.Document{
		Id: d.ID, EntityId: d.EntityID, OrganizationId: d.OrganizationID, Filename: d.Filename, MediaType: d.MediaType,
		SizeBytes: d.SizeBytes, Sha256: d.SHA256, PageCount: orNull(d.PageCount), Source: string(d.Origin),
		IntegrationId: orNull(d.IntegrationID), SourcePath: orNull(d.SourcePath), Status: string(d.Status),
		Failure: toAPIFailure(d.Failure), InvoiceId: orNull(d.InvoiceID), RelatedInvoiceId: orNull(d.RelatedInvoiceID), ParentId: orNull(d.ParentID), MergedFrom: some(d.MergedFrom),
		Pages: toAPIPages(d.Pages), Attachments: list(d.Attachments, toAPIAttachment), Signatures: list(d.Signatures, toAPISignature), Email: toAPIEmail(d.Email), Progress: null[backend.Progress](),
		HeldReason: orNull(d.HeldReason), ExternalId: orNull(d.ExternalID), Version: d.Version, CreatedBy: orNull(d.CreatedBy),
		CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt, WebUrl: w.page("documents", d.ID.String()),
	}
}

func toAPIFailure(f *document.Failure) nullable.Nullable[backend.Failure] {
	if f == nil {
		return null[backend.Failure]()
	}
	return value(backend.Failure{Code: f.Code, Message: f.Message})
}

func toAPIPages(p *document.Pages) nullable.Nullable[backend.PageRange] {
	if p == nil {
		return null[backend.PageRange]()
	}
	return value(backend.PageRange{From: p.From, To: p.To})
}

func toAPIAttachment(a document.Attachment) backend.Attachment {
	return backend.Attachment{Name: a.Name, MediaType: a.MediaType, SizeBytes: a.SizeBytes}
}

func toAPIEmail(e *document.Email) nullable.Nullable[backend.EmailOrigin] {
	if e == nil {
		return null[backend.EmailOrigin]()
	}
	return value(backend.EmailOrigin{From: e.From, Subject: e.Subject, Spf: e.SPF, Dkim: e.DKIM, Dmarc: e.DMARC, Accepted: e.Accepted})
}

// ToAPIEmailIntake returns the e-mail address of an entity and its rules. sends reports whether the installation can
// answer senders.
func ToAPIEmailIntake(i *email.Intake, address string, sends bool) backend.EmailIntake {
	out := backend.EmailIntake{
		EntityId: i.EntityID, Address: orNull(address), Senders: some(i.Senders), OnlySenders: i.OnlySenders, AnswerSenders: null[bool](),
	}
	if sends {
		out.AnswerSenders = value(i.AnswerSenders)
	}
	return out
}

func toAPISignature(s document.Signature) backend.Signature {
	return backend.Signature{Signer: orNull(s.Signer), SignedAt: orNull(s.SignedAt)}
}

// ToAPIEntity returns an entity.
func ToAPIEntity(e *entity.Entity) backend.Entity {
	return backend.Entity{
		Id: e.ID, OrganizationId: e.OrganizationID, Name: e.Name, LegalName: orNull(e.LegalName),
		TaxIds: some(e.TaxIDs), Aliases: some(e.Aliases), Country: orNull(e.Country), BaseCurrency: orNull(e.BaseCurrency),
		Access: string(e.Access), DefaultRole: string(e.DefaultRole), Members: list(e.Members, toAPIEntityMember),
		Archived: e.Archived, LegalHold: e.LegalHold, Version: e.Version, CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt,
	}
}

func toAPIEntityMember(m entity.Member) backend.EntityMember {
	return backend.EntityMember{UserId: m.UserID, Role: string(m.Role)}
}

// ToAPISettings returns an entity's settings.
func ToAPISettings(s *entity.Settings) backend.Settings {
	return backend.Settings{
		EntityId: s.EntityID, DefaultCurrency: orNull(s.DefaultCurrency), DateOrder: string(s.DateOrder), Timezone: s.Timezone,
		AutoExtract: s.AutoExtract, AutoSync: s.AutoSync, ApprovalRequired: s.ApprovalRequired,
		AutoApproveIgnore: some(s.AutoApproveIgnore), ReviewThreshold: s.ReviewThreshold,
		AccountingIntegrationId: orNull(s.AccountingIntegrationID), DefaultAccountId: orNull(s.DefaultAccountID),
		DefaultTaxRateId: orNull(s.DefaultTaxRateID), TaxMappings: list(s.TaxMappings, toAPITaxMapping),
		DuplicatePolicy: string(s.DuplicatePolicy), FourEyes: s.FourEyes, AssistantActions: string(s.AssistantActions), RouteByBuyer: s.RouteByBuyer, BillStatus: string(s.BillStatus), EinvoiceRules: string(s.EInvoiceRules),
		EinvoiceRulesByProfile: list(s.EInvoiceByProfile, toAPIProfileRules), Version: s.Version, UpdatedAt: s.UpdatedAt,
	}
}

func toAPIProfileRules(p entity.ProfileRules) backend.ProfileRules {
	return backend.ProfileRules{Profile: string(p.Profile), Effect: string(p.Effect)}
}

func toAPITaxMapping(m entity.TaxMapping) backend.TaxMapping {
	return backend.TaxMapping{Category: m.Category, Rate: m.Rate, TaxRateId: m.TaxRateID}
}

// ToAPIEvent returns one event of the log.
func ToAPIEvent(e event.Event) backend.Event {
	api := backend.Event{
		Id: e.ID, Type: string(e.Type), OrganizationId: e.OrganizationID, EntityId: orNull(e.EntityID),
		Subject:   backend.EventSubject{Type: string(e.Subject.Type), Id: e.Subject.ID, Version: orNull(e.Subject.Version)},
		Actor:     backend.EventActor{Type: string(e.ActorType), Id: orNull(e.ActorID), ClientId: orNull(e.ClientID)},
		RequestId: orNull(e.RequestID), CreatedAt: e.CreatedAt,
		Changes: null[[]backend.EventChange](), Data: null[map[string]string](),
	}
	if len(e.Changes) > 0 {
		api.Changes = value(list(e.Changes, toAPIChange))
	}
	if len(e.Data) > 0 {
		api.Data = value(e.Data)
	}
	return api
}

func toAPIChange(c event.Change) backend.EventChange {
	return backend.EventChange{Field: c.Field, From: orNull(c.From), To: orNull(c.To)}
}

// ToAPIEvents returns a page of events.
func ToAPIEvents(events []event.Event) []backend.Event { return list(events, ToAPIEvent) }

// ToAPIMe returns the caller.
func ToAPIMe(p *session.Profile) backend.Me {
	credential := backend.Credential{
		Type: "SESSION", ExpiresAt: value(p.ExpiresAt), Role: null[string](), EntityIds: null[[]uuidType](),
	}
	switch {
	case p.Assistant:
		credential.Type = "OAUTH"
	case p.Key != nil:
		credential.Type, credential.Role = "API_KEY", value(string(p.Key.Role))
		if p.Key.EntityIDs != nil {
			credential.EntityIds = value(p.Key.EntityIDs)
		}
	}
	return backend.Me{
		User:         backend.MeUser{Id: p.User.ID, Email: p.User.Email, Name: p.User.Name},
		Organization: toAPIBelonging(p.Organization), Organizations: list(p.Organizations, toAPIBelonging),
		Credential: credential,
	}
}

func toAPIBelonging(b session.Belonging) backend.MeOrganization {
	return backend.MeOrganization{Id: b.ID, Name: b.Name, Role: string(b.Role)}
}

// ToAPIMembers returns the members of an organization.
func ToAPIMembers(members []identity.Member) []backend.Member {
	return list(members, func(m identity.Member) backend.Member {
		return backend.Member{UserId: m.User.ID, Email: m.User.Email, Name: m.User.Name, Role: string(m.Role)}
	})
}
