import type { AttentionItem } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'

import { attentionQuery } from '@/api/queries'
import { useEntity } from '@/layout/useEntity'
import { messages, type MessageKey } from '@/text/messages'
import { label, t } from '@/text/text'

export interface Item {
  id: string
  tone: 'red' | 'amber'
  text: string
  /** When the oldest of it began. */
  since?: string
  action: string
  /** The page of this application, with its search. */
  to: string
  search: Record<string, string>
  /** The address of a page elsewhere, which replaces it. */
  href?: string
}

/** The text of an item of several records; otherwise the message, which names the only one. */
function textOf(item: AttentionItem, entity: string | undefined): string {
  const keys: Record<string, string> = { DUE_SOON: 'due', DOCUMENTS_HELD: 'held' }
  const key = `attention.text.${keys[item.code] ?? item.action}`
  const text = key in messages ? t(key as MessageKey, { count: item.count }) : item.message
  return entity && key in messages ? `${text} · ${entity}` : text
}

function itemOf(item: AttentionItem, entity: string | undefined): Item {
  const url = new URL(item.web_url, location.href)
  return {
    id: `${item.code} ${item.action} ${item.entity_id ?? ''} ${item.subject?.id ?? ''}`,
    tone: item.severity === 'BLOCKING' ? 'red' : 'amber',
    text: textOf(item, entity),
    since: item.oldest_at ?? undefined,
    action: label('attention.action', item.action),
    to: url.pathname,
    search: Object.fromEntries(url.searchParams),
    href: url.origin === location.origin ? undefined : url.href,
  }
}

/** What needs a person, the most urgent first. Undefined while it is not known. */
export function useAttention(): { items: Item[] | undefined; error: Error | null; hasInvoices: boolean } {
  const { entityId, entities } = useEntity()
  const work = useQuery(attentionQuery(entityId))
  // Of one entity, or with a single one, each item is about it.
  const name = (item: AttentionItem) => (entityId || entities.length < 2 ? undefined : entities.find((e) => e.id === item.entity_id)?.name)
  return { items: work.data?.found.map((item) => itemOf(item, name(item))), error: work.error, hasInvoices: work.data?.hasInvoices ?? true }
}
