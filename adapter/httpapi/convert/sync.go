package convert

import (
	"docledger/domain/invoice"
	"docledger/gen/backend"

	"github.com/oapi-codegen/nullable"
)

func toAPISync(s *invoice.SyncView) nullable.Nullable[backend.Sync] {
	if s == nil {
		return null[backend.Sync]()
	}
	return value(backend.Sync{
		State: string(s.State), IntegrationId: s.IntegrationID, Attempts: s.Attempts, NextAttemptAt: orNull(s.NextAttemptAt),
		Error: toAPISyncError(s.Error), RemoteId: orNull(s.RemoteID), RemoteNumber: orNull(s.RemoteNumber), RemoteUrl: orNull(s.RemoteURL),
		LedgerTotal: decimal(s.LedgerTotal), Difference: decimal(s.Difference),
		Attachment: orNull(string(s.Attachment)), AttachmentReason: orNull(s.AttachmentReason), SyncedAt: orNull(s.SyncedAt),
	})
}

func toAPISyncError(e *invoice.SyncError) nullable.Nullable[backend.SyncError] {
	if e == nil {
		return null[backend.SyncError]()
	}
	return value(backend.SyncError{
		Code: e.Code, Message: e.Message, Action: orNull(e.Action),
		Candidates: list(e.Candidates, func(c invoice.SyncCandidate) backend.SyncCandidate {
			return backend.SyncCandidate{Id: c.ID, Name: c.Name, Url: orNull(c.URL)}
		}),
	})
}
