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

// Logout implements the operation logout.
func (s *Server) Logout(ctx context.Context, _ backend.LogoutRequestObject) (backend.LogoutResponseObject, error) {
	ended, err := s.Session.Logout(ctx, actor(ctx))
	if err != nil {
		return nil, err
	}
	return backend.Logout200JSONResponse{Body: convert.ToAPISession(*ended, actor(ctx).SessionID)}, nil
}

// ListSessions implements the operation listSessions.
func (s *Server) ListSessions(ctx context.Context, r backend.ListSessionsRequestObject) (backend.ListSessionsResponseObject, error) {
	found, err := s.Session.List(ctx, actor(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	items := make([]backend.Session, len(found.Items))
	for i, one := range found.Items {
		items[i] = convert.ToAPISession(one, actor(ctx).SessionID)
	}
	return backend.ListSessions200JSONResponse{Body: backend.SessionList{Items: items, NextCursor: convert.Cursor(found.Next)}}, nil
}

// EndSession implements the operation endSession.
func (s *Server) EndSession(ctx context.Context, r backend.EndSessionRequestObject) (backend.EndSessionResponseObject, error) {
	ended, err := s.Session.EndSession(ctx, actor(ctx), r.SessionId)
	if err != nil {
		return nil, err
	}
	return backend.EndSession200JSONResponse{Body: convert.ToAPISession(*ended, actor(ctx).SessionID)}, nil
}

// ChangePassword implements the operation changePassword.
func (s *Server) ChangePassword(ctx context.Context, r backend.ChangePasswordRequestObject) (backend.ChangePasswordResponseObject, error) {
	token, err := s.Session.ChangePassword(ctx, actor(ctx), session.PasswordInput{
		Current: r.Body.CurrentPassword, New: r.Body.NewPassword, Address: clientAddress(ctx),
	})
	if err != nil {
		return nil, err
	}
	return backend.ChangePassword200JSONResponse{Body: backend.Token{Token: token.Token, ExpiresAt: token.ExpiresAt}}, nil
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
