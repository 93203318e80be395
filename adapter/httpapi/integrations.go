package httpapi

import (
	"context"
	"net/url"

	"docledger/adapter/httpapi/convert"
	"docledger/adapter/httpapi/edge"
	"docledger/domain/accounting"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/gen/backend"
	api "docledger/gen/integrations"
	"docledger/usecase/integrations"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
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
	asked, err := s.Integrations.Authorize(ctx, actor(ctx), integrations.AuthorizeInput{
		EntityID: r.Body.EntityId, Provider: integration.Provider(r.Body.Provider), RedirectURL: r.Body.RedirectUrl,
	})
	if err != nil {
		return nil, err
	}
	return api.AuthorizeIntegration200JSONResponse{
		Body: toAPIAuthorization(asked), Headers: api.AuthorizeIntegration200ResponseHeaders{SetCookie: s.Consents.begun(asked)},
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
	entityID, err := entityOf(r.Params.EntityId, r.Body.EntityId)
	if err != nil {
		return nil, err
	}
	m := r.Body.PublicMetadata
	i, err := s.Integrations.SetUp(ctx, actor(ctx), r.IntegrationId, entityID, version, integrations.Setup{
		Status: string(r.Body.Status), Provider: string(m.Provider), OrganizationID: m.OrganizationId, PaysTax: m.PaysTax,
		SourceID: m.SourceId, SubSourceID: m.SubSourceId, Directories: m.Directories,
	})
	if err != nil {
		return nil, err
	}
	return api.SetUpIntegration200JSONResponse{
		Body: convert.ToAPIIntegration(i), Headers: api.SetUpIntegration200ResponseHeaders{ETag: edge.ETag(i.Version)},
	}, nil
}

// entityOf returns the entity of the query or the body (decisions 1).
func entityOf(query, body *uuid.UUID) (uuid.UUID, error) {
	switch {
	case query == nil && body == nil:
		return uuid.Nil, fault.InvalidField("entity_id", "is required, in the query or the body")
	case query != nil && body != nil && *query != *body:
		return uuid.Nil, fault.InvalidField("entity_id", "differs between query and body; send it once")
	case query != nil:
		return *query, nil
	}
	return *body, nil
}

// DisconnectIntegration implements the operation disconnectIntegration.
func (s *Server) DisconnectIntegration(
	ctx context.Context, r api.DisconnectIntegrationRequestObject,
) (api.DisconnectIntegrationResponseObject, error) {
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
	var filter accounting.ClassFilter
	if r.Params.AccountTypes != nil {
		var err error
		if filter, err = accounting.ParseClassFilter(*r.Params.AccountTypes); err != nil {
			return nil, err
		}
	}
	found, err := s.Integrations.Accounts(ctx, actor(ctx), r.IntegrationId, filter, partOf(r.Params.Limit, r.Params.Cursor))
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
	found, err := s.Integrations.Contacts(ctx, actor(ctx), r.IntegrationId, partOf(r.Params.Limit, r.Params.Cursor))
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
	found, err := s.Integrations.TaxRates(ctx, actor(ctx), r.IntegrationId, partOf(r.Params.Limit, r.Params.Cursor))
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
	found, err := s.Integrations.Currencies(ctx, actor(ctx), r.IntegrationId, partOf(r.Params.Limit, r.Params.Cursor))
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
