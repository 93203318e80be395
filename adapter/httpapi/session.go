package httpapi

import (
	"context"

	"docledger/adapter/httpapi/convert"
	"docledger/gen/backend"
	"docledger/usecase/session"

	"github.com/google/uuid"
)

// Login implements the operation login.
func (s *Server) Login(ctx context.Context, r backend.LoginRequestObject) (backend.LoginResponseObject, error) {
	token, err := s.Session.Login(ctx, session.LoginInput{
		Email: r.Body.Email, Password: r.Body.Password, OrganizationID: convert.ID(r.Body.OrganizationId),
		Address: clientAddress(ctx),
	})
	if err != nil {
		return nil, err
	}
	return backend.Login200JSONResponse{Body: backend.Token{Token: token.Token, ExpiresAt: token.ExpiresAt}}, nil
}

// RefreshToken implements the operation refreshToken.
func (s *Server) RefreshToken(ctx context.Context, r backend.RefreshTokenRequestObject) (backend.RefreshTokenResponseObject, error) {
	var organization uuid.UUID
	if r.Body != nil {
		organization = convert.ID(r.Body.OrganizationId)
	}
	token, err := s.Session.Refresh(ctx, actor(ctx), organization)
	if err != nil {
		return nil, err
	}
	return backend.RefreshToken200JSONResponse{Body: backend.Token{Token: token.Token, ExpiresAt: token.ExpiresAt}}, nil
}

// GetMe implements the operation getMe.
func (s *Server) GetMe(ctx context.Context, _ backend.GetMeRequestObject) (backend.GetMeResponseObject, error) {
	me, err := s.Session.Me(ctx, actor(ctx))
	if err != nil {
		return nil, err
	}
	return backend.GetMe200JSONResponse{Body: convert.ToAPIMe(me)}, nil
}

// ListMembers implements the operation listMembers.
func (s *Server) ListMembers(ctx context.Context, r backend.ListMembersRequestObject) (backend.ListMembersResponseObject, error) {
	members, err := s.Session.Members(ctx, actor(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return backend.ListMembers200JSONResponse{Body: backend.MemberList{
		Items: convert.ToAPIMembers(members.Items), NextCursor: convert.Cursor(members.Next),
	}}, nil
}
