package httpapi

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"docledger/adapter/httpapi/convert"
	"docledger/adapter/httpapi/edge"
	"docledger/domain/accounting"
	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/gen/backend"
	api "docledger/gen/integrations"
	"docledger/usecase/integrations"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/oapi-codegen/nullable"
)

// ListIntegrations implements the operation listIntegrations.
func (s *Server) ListIntegrations(
	ctx context.Context, r backend.ListIntegrationsRequestObject,
) (backend.ListIntegrationsResponseObject, error) {
	offers, err := s.Integrations.Catalogue(ctx, actor(ctx), convert.ID(r.Params.EntityId))
	if err != nil {
		return nil, err
	}
	return backend.ListIntegrations200JSONResponse{
		Body: backend.ProviderList{Items: convert.ToAPIProviders(offers), NextCursor: convert.Cursor("")},
	}, nil
}

// ConnectIntegration implements the operation connectIntegration.
func (s *Server) ConnectIntegration(
	ctx context.Context, r backend.ConnectIntegrationRequestObject,
) (backend.ConnectIntegrationResponseObject, error) {
	if err := s.inEntityOf(ctx, r.IntegrationId, r.Params.EntityId, r.Body.EntityId); err != nil {
		return nil, err
	}
	asked, err := s.Integrations.Connect(ctx, actor(ctx), r.IntegrationId, r.Body.RedirectUrl)
	if err != nil {
		return nil, err
	}
	return backend.ConnectIntegration200JSONResponse{
		Body: toAPIAuthorization(asked), Headers: backend.ConnectIntegration200ResponseHeaders{SetCookie: s.Consents.begun(asked)},
	}, nil
}

// GetIntegrationStatus implements the operation getIntegrationStatus.
func (s *Server) GetIntegrationStatus(
	ctx context.Context, r backend.GetIntegrationStatusRequestObject,
) (backend.GetIntegrationStatusResponseObject, error) {
	if err := s.inEntity(ctx, r.IntegrationId, r.Params.EntityId); err != nil {
		return nil, err
	}
	status, err := s.Integrations.Status(ctx, actor(ctx), r.IntegrationId)
	if err != nil {
		return nil, err
	}
	return backend.GetIntegrationStatus200JSONResponse{Body: convert.ToAPIStatusReport(status, s.Clock.Now())}, nil
}

// AuthorizeIntegration implements the operation authorizeIntegration.
func (s *Server) AuthorizeIntegration(
	ctx context.Context, r api.AuthorizeIntegrationRequestObject,
) (api.AuthorizeIntegrationResponseObject, error) {
	in, err := authorizeInput(r)
	if err != nil {
		return nil, err
	}
	asked, err := s.Integrations.Authorize(ctx, actor(ctx), in)
	if err != nil {
		return nil, err
	}
	return api.AuthorizeIntegration200JSONResponse{
		Body: toAPIAuthorization(asked), Headers: api.AuthorizeIntegration200ResponseHeaders{SetCookie: s.Consents.begun(asked)},
	}, nil
}

// authorizeInput reads each value from the body or the query (decisions 1).
func authorizeInput(r api.AuthorizeIntegrationRequestObject) (in integrations.AuthorizeInput, err error) {
	b := api.AuthorizeRequest{}
	if r.Body != nil {
		b = *r.Body
	}
	var wrong fault.Fields
	in.EntityID = either(&wrong, "entity_id", r.Params.EntityId, b.EntityId)
	in.Provider = integration.Provider(either(&wrong, "provider", r.Params.Provider, b.Provider))
	in.RedirectURL = either(&wrong, "redirect_url", r.Params.RedirectUrl, b.RedirectUrl)
	return in, wrong.Err()
}

// either returns the value of the query or the body, which must not differ.
func either[T comparable](wrong *fault.Fields, field string, query, body *T) (value T) {
	switch {
	case query == nil && body == nil:
		wrong.Add(field, "is required, in the query or the body")
	case query != nil && body != nil && *query != *body:
		wrong.Add(field, "differs between query and body; send it once")
	case query != nil:
		return *query
	default:
		return *body
	}
	return value
}

// inEntity returns the fault for a missing integration if the request names an
// entity to which the integration does not belong.
func (s *Server) inEntity(ctx context.Context, id uuid.UUID, entityID *uuid.UUID) error {
	if entityID == nil {
		return nil
	}
	return s.Integrations.RequireEntity(ctx, actor(ctx), id, *entityID)
}

// inEntityOf is inEntity for an operation that takes the entity in the query or in the body.
func (s *Server) inEntityOf(ctx context.Context, id uuid.UUID, query, body *uuid.UUID) error {
	if query == nil && body == nil {
		return nil
	}
	var wrong fault.Fields
	entityID := either(&wrong, "entity_id", query, body)
	if err := wrong.Err(); err != nil {
		return err
	}
	return s.inEntity(ctx, id, &entityID)
}

// GetIntegration implements the operation getIntegration.
func (s *Server) GetIntegration(ctx context.Context, r api.GetIntegrationRequestObject) (api.GetIntegrationResponseObject, error) {
	if err := s.inEntity(ctx, r.IntegrationId, r.Params.EntityId); err != nil {
		return nil, err
	}
	i, err := s.Integrations.Find(ctx, actor(ctx), r.IntegrationId)
	if err != nil {
		return nil, err
	}
	return api.GetIntegration200JSONResponse{
		Body: convert.ToAPIIntegration(i), Headers: api.GetIntegration200ResponseHeaders{ETag: edge.ETag(i.Version)},
	}, nil
}

func toAPIAuthorization(a integrations.Authorization) api.Authorization {
	return api.Authorization{AuthorizationUrl: a.URL, IntegrationId: a.IntegrationID}
}

// queryOf returns the original query of the browser, because providers add
// their own parameters.
func queryOf(ctx context.Context) url.Values {
	if c, ok := ctx.(*gin.Context); ok {
		return c.Request.URL.Query()
	}
	return nil
}

// SetUpIntegration implements the operation setUpIntegration.
func (s *Server) SetUpIntegration(ctx context.Context, r api.SetUpIntegrationRequestObject) (api.SetUpIntegrationResponseObject, error) {
	version, err := ifMatch(r.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	var wrong fault.Fields
	entityID := either(&wrong, "entity_id", r.Params.EntityId, r.Body.EntityId)
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	if version, err = s.integrationVersion(ctx, r, version); err != nil {
		return nil, err
	}
	m := r.Body.PublicMetadata
	i, err := s.Integrations.SetUp(ctx, actor(ctx), r.IntegrationId, entityID, version, integrations.Setup{
		Status: string(integration.Pending), Provider: string(m.Provider), OrganizationID: given(m.OrganizationId), PaysTax: given(m.PaysTax),
		SourceID: given(m.SourceId), SubSourceID: given(m.SubSourceId), Directories: given(m.Directories),
	})
	if err != nil {
		return nil, err
	}
	return api.SetUpIntegration200JSONResponse{
		Body: convert.ToAPIIntegration(i), Headers: api.SetUpIntegration200ResponseHeaders{ETag: edge.ETag(i.Version)},
	}, nil
}

// given returns the value of a key; nil if it is absent or null.
func given[T any](n nullable.Nullable[T]) *T {
	if v, err := n.Get(); err == nil {
		return &v
	}
	return nil
}

// integrationVersion checks the read-only keys of a setup, and a status other than
// PENDING, which must be the current one. It returns the version that the change
// is valid for; 0 for every version.
func (s *Server) integrationVersion(ctx context.Context, r api.SetUpIntegrationRequestObject, version int) (int, error) {
	repeated, err := repeats(r.Body, integrationKeys)
	if err != nil {
		return 0, err
	}
	named, err := repeats(r.Body.PublicMetadata, metadataKeys)
	asRead := string(r.Body.Status) != string(integration.Pending)
	if err != nil || !repeated && !named && !asRead {
		return version, err
	}
	i, err := s.Integrations.Find(ctx, actor(ctx), r.IntegrationId)
	if err != nil {
		return 0, err
	}
	record := convert.ToAPIIntegration(i)
	keys := integrationKeys
	if asRead {
		keys = append([]string{"status"}, keys...)
	}
	fixed, err := checkRepeated(r.Body, record, i.Version, "", keys)
	if err == nil {
		_, err = checkRepeated(r.Body.PublicMetadata, record.PublicMetadata, i.Version, "public_metadata.", metadataKeys)
	}
	if fixed && version == 0 {
		version = i.Version
	}
	return version, err
}

// DisconnectIntegration implements the operation disconnectIntegration.
func (s *Server) DisconnectIntegration(
	ctx context.Context, r api.DisconnectIntegrationRequestObject,
) (api.DisconnectIntegrationResponseObject, error) {
	if err := s.inEntity(ctx, r.IntegrationId, r.Params.EntityId); err != nil {
		return nil, err
	}
	version, err := ifMatch(r.Params.IfMatch)
	if err != nil {
		return nil, err
	}
	i, err := s.Integrations.Disconnect(ctx, actor(ctx), r.IntegrationId, version)
	if err != nil {
		return nil, err
	}
	return api.DisconnectIntegration200JSONResponse{
		Body: convert.ToAPIIntegration(i), Headers: api.DisconnectIntegration200ResponseHeaders{ETag: edge.ETag(i.Version)},
	}, nil
}

func partOf(limit *int, cursor *string) integrations.Part {
	p := pageOf(limit, cursor)
	return integrations.Part{Limit: p.Limit, Cursor: p.After}
}

// searched is partOf with a part of a name or code.
func searched(query *string, limit *int, cursor *string) integrations.Part {
	p := partOf(limit, cursor)
	if query != nil {
		p.Query = strings.TrimSpace(*query)
	}
	return p
}

// ListAccountingOrganizations implements the operation
// listAccountingOrganizations.
func (s *Server) ListAccountingOrganizations(
	ctx context.Context, r api.ListAccountingOrganizationsRequestObject,
) (api.ListAccountingOrganizationsResponseObject, error) {
	found, err := s.Integrations.Organizations(ctx, actor(ctx), r.IntegrationId, r.Params.EntityId, partOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return api.ListAccountingOrganizations200JSONResponse{
		Body: api.AccountingOrganizationList{Items: convert.ToAPIOrganizations(found.Items), NextCursor: convert.Cursor(found.Next)},
	}, nil
}

// ListAccountingAccounts implements the operation listAccountingAccounts.
func (s *Server) ListAccountingAccounts(
	ctx context.Context, r api.ListAccountingAccountsRequestObject,
) (api.ListAccountingAccountsResponseObject, error) {
	if err := s.inEntity(ctx, r.IntegrationId, r.Params.EntityId); err != nil {
		return nil, err
	}
	var filter accounting.ClassFilter
	if r.Params.AccountTypes != nil {
		for _, name := range *r.Params.AccountTypes {
			class, err := accounting.ParseClassFilter(string(name))
			if err != nil {
				return nil, err
			}
			filter = append(filter, class...)
		}
		slices.Sort(filter)
		filter = slices.Compact(filter)
	}
	found, err := s.Integrations.Accounts(ctx, actor(ctx), r.IntegrationId, filter, searched(r.Params.Q, r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return api.ListAccountingAccounts200JSONResponse{
		Body: api.AccountingAccountList{Items: convert.ToAPIAccounts(found.Items), NextCursor: convert.Cursor(found.Next)},
	}, nil
}

// ListAccountingContacts implements the operation listAccountingContacts.
func (s *Server) ListAccountingContacts(
	ctx context.Context, r api.ListAccountingContactsRequestObject,
) (api.ListAccountingContactsResponseObject, error) {
	if err := s.inEntity(ctx, r.IntegrationId, r.Params.EntityId); err != nil {
		return nil, err
	}
	found, err := s.Integrations.Contacts(ctx, actor(ctx), r.IntegrationId, searched(r.Params.Q, r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return api.ListAccountingContacts200JSONResponse{
		Body: api.AccountingContactList{Items: convert.ToAPIContacts(found.Items), NextCursor: convert.Cursor(found.Next)},
	}, nil
}

// ListAccountingTaxRates implements the operation listAccountingTaxRates.
func (s *Server) ListAccountingTaxRates(
	ctx context.Context, r api.ListAccountingTaxRatesRequestObject,
) (api.ListAccountingTaxRatesResponseObject, error) {
	if err := s.inEntity(ctx, r.IntegrationId, r.Params.EntityId); err != nil {
		return nil, err
	}
	found, err := s.Integrations.TaxRates(ctx, actor(ctx), r.IntegrationId, searched(r.Params.Q, r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return api.ListAccountingTaxRates200JSONResponse{
		Body: api.AccountingTaxRateList{Items: convert.ToAPITaxRates(found.Items), NextCursor: convert.Cursor(found.Next)},
	}, nil
}

// ListAccountingCurrencies implements the operation listAccountingCurrencies.
func (s *Server) ListAccountingCurrencies(
	ctx context.Context, r api.ListAccountingCurrenciesRequestObject,
) (api.ListAccountingCurrenciesResponseObject, error) {
	if err := s.inEntity(ctx, r.IntegrationId, r.Params.EntityId); err != nil {
		return nil, err
	}
	found, err := s.Integrations.Currencies(ctx, actor(ctx), r.IntegrationId, searched(r.Params.Q, r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return api.ListAccountingCurrencies200JSONResponse{
		Body: api.AccountingCurrencyList{Items: convert.ToAPICurrencies(found.Items), NextCursor: convert.Cursor(found.Next)},
	}, nil
}

// ListTriggerSources implements the operation listTriggerSources.
func (s *Server) ListTriggerSources(ctx context.Context, r api.ListTriggerSourcesRequestObject) (api.ListTriggerSourcesResponseObject, error) {
	found, err := s.Integrations.Sources(ctx, actor(ctx), r.IntegrationId, r.Params.EntityId, partOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return api.ListTriggerSources200JSONResponse{
		Body: api.TriggerSourceList{Items: convert.ToAPISources(found.Items), NextCursor: convert.Cursor(found.Next)},
	}, nil
}

// ListTriggerSubSources implements the operation listTriggerSubSources.
func (s *Server) ListTriggerSubSources(
	ctx context.Context, r api.ListTriggerSubSourcesRequestObject,
) (api.ListTriggerSubSourcesResponseObject, error) {
	found, err := s.Integrations.SubSources(ctx, actor(ctx), r.IntegrationId, r.Params.EntityId, r.SourceId, partOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return api.ListTriggerSubSources200JSONResponse{
		Body: api.TriggerSourceList{Items: convert.ToAPISources(found.Items), NextCursor: convert.Cursor(found.Next)},
	}, nil
}

// ListTriggerFolders implements the operation listTriggerFolders.
func (s *Server) ListTriggerFolders(ctx context.Context, r api.ListTriggerFoldersRequestObject) (api.ListTriggerFoldersResponseObject, error) {
	path := ""
	if r.Params.Path != nil {
		path = *r.Params.Path
	}
	at := docstore.Location{Source: r.SourceId, SubSource: r.SubSourceId}
	found, err := s.Integrations.Folders(ctx, actor(ctx), r.IntegrationId, r.Params.EntityId, at, path, partOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return api.ListTriggerFolders200JSONResponse{
		Body: api.TriggerFolderList{Items: convert.ToAPIFolders(found.Items), NextCursor: convert.Cursor(found.Next)},
	}, nil
}

// ListSkippedFiles implements the operation listSkippedFiles.
func (s *Server) ListSkippedFiles(ctx context.Context, r api.ListSkippedFilesRequestObject) (api.ListSkippedFilesResponseObject, error) {
	entity := uuid.Nil
	if r.Params.EntityId != nil {
		entity = *r.Params.EntityId
	}
	found, err := s.Integrations.SkippedFiles(ctx, actor(ctx), r.IntegrationId, entity, pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return api.ListSkippedFiles200JSONResponse{
		Body: api.SkippedFileList{Items: convert.ToAPISkippedFiles(found.Items), NextCursor: convert.Cursor(found.Next)},
	}, nil
}
