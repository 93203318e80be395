package httpapi

import (
	"context"

	"docledger/adapter/httpapi/convert"
	"docledger/gen/backend"
	"docledger/usecase/emails"
)

// GetEmailIntake implements the operation getEmailIntake.
func (s *Server) GetEmailIntake(ctx context.Context, r backend.GetEmailIntakeRequestObject) (backend.GetEmailIntakeResponseObject, error) {
	i, err := s.Emails.Get(ctx, actor(ctx), r.EntityId)
	if err != nil {
		return nil, err
	}
	return backend.GetEmailIntake200JSONResponse{Body: convert.ToAPIEmailIntake(i, s.Emails.Address(i), s.Emails.AnswersFrom != "")}, nil
}

// UpdateEmailIntake implements the operation updateEmailIntake.
func (s *Server) UpdateEmailIntake(ctx context.Context, r backend.UpdateEmailIntakeRequestObject) (backend.UpdateEmailIntakeResponseObject, error) {
	i, err := s.Emails.Update(ctx, actor(ctx), r.EntityId, emails.Change{
		Senders: r.Body.Senders, AcceptSender: r.Body.AcceptSender, OnlySenders: r.Body.OnlySenders,
		AnswerSenders: r.Body.AnswerSenders,
		NewAddress:    r.Body.NewAddress != nil && *r.Body.NewAddress,
	})
	if err != nil {
		return nil, err
	}
	return backend.UpdateEmailIntake200JSONResponse{Body: convert.ToAPIEmailIntake(i, s.Emails.Address(i), s.Emails.AnswersFrom != "")}, nil
}
