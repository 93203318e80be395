package httpapi

import (
	"context"
	"strings"

	"docledger/gen/backend"
)

// actionPages are the paths of the web application by action. With an entity,
// {entity_id} is its id; without one, the path ends before it. docs/security.md
// lists the paths of the web application.
var actionPages = map[backend.PageAction]string{
	backend.ConnectIntegration:    "/integrations",
	backend.SetUpIntegration:      "/integrations",
	backend.DisconnectIntegration: "/integrations",
	backend.CreateEntity:          "/entities",
	backend.UpdateEntity:          "/entities/{entity_id}",
	backend.UpdateSettings:        "/settings/{entity_id}",
	backend.ManageMembers:         "/members",
	backend.ManageApiKeys:         "/api-keys",
	backend.UploadDocuments:       "/documents",
	backend.ReviewInvoices:        "/inbox",
	backend.ChoosePlan:            "/billing",
	backend.ManagePayment:         "/billing",
}

// WhereTo implements the operation whereTo.
func (s *Server) WhereTo(ctx context.Context, r backend.WhereToRequestObject) (backend.WhereToResponseObject, error) {
	path := actionPages[r.Params.Action]
	entity := ""
	if r.Params.EntityId != nil {
		e, err := s.Entities.Get(ctx, actor(ctx).Scope(), *r.Params.EntityId)
		if err != nil {
			return nil, err
		}
		entity = e.ID.String()
	}
	path = strings.TrimSuffix(strings.Replace(path, "{entity_id}", entity, 1), "/")
	if entity != "" && !strings.Contains(path, entity) {
		path += "?entity=" + entity // as the web application names it
	}
	return backend.WhereTo200JSONResponse{Body: backend.PageAddress{Action: string(r.Params.Action), Url: s.PagesURL + path}}, nil
}
