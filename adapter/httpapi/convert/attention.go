package convert

import (
	"docledger/domain/attention"
	"docledger/gen/backend"
)

// ToAPIAttention returns what needs a person. pages is the address of the web application.
func ToAPIAttention(items []attention.Item, pages string) []backend.AttentionItem {
	return list(items, func(i attention.Item) backend.AttentionItem {
		out := backend.AttentionItem{
			Code: string(i.Code), Severity: string(i.Severity), EntityId: orNull(i.EntityID), Count: i.Count, OldestAt: orNull(i.OldestAt),
			Subject: null[backend.AttentionSubject](), Message: i.Message, Action: string(i.Action), WebUrl: pages + i.Path,
		}
		if i.URL != "" {
			out.WebUrl = i.URL
		}
		if i.Subject != nil {
			out.Subject = value(backend.AttentionSubject{Type: i.Subject.Type, Id: i.Subject.ID})
		}
		return out
	})
}
