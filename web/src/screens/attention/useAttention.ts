import type { Document, InvoiceSummary } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'

import { api } from '@/api/client'
import { integrationsQuery } from '@/api/queries'
import { useEntity, useIsAdmin } from '@/layout/useEntity'
import { label, t } from '@/text/text'

export interface Item {
  id: string
  tone: 'red' | 'amber'
  text: string
  /** When the oldest of it began. */
  since?: string
  action: string
  to: string
  search?: Record<string, string>
}

const most = 200
const daysSoon = 7

function dayIn(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
}

const oldest = (items: (InvoiceSummary | Document)[]) => items.reduce<string | undefined>((min, i) => (!min || i.created_at < min ? i.created_at : min), undefined)

/** What needs a person, the most urgent first. Undefined while it is not known. */
export function useAttention(): { items: Item[] | undefined; error: Error | null; hasInvoices: boolean } {
  const { entityId, entities } = useEntity()
  const isAdmin = useIsAdmin()
  const integrations = useQuery(integrationsQuery)
  const entity = entityId ? { entity_id: entityId } : {}
  const work = useQuery({
    queryKey: ['attention', entityId],
    queryFn: async ({ signal }) => {
      const invoices = (query: object) => api.listInvoices({ query: { ...entity, limit: most, ...query }, signal }).then((a) => a.data.items)
      const [failed, check, ready, due, documents, any] = await Promise.all([
        invoices({ status: ['SYNC_FAILED'] }),
        invoices({ status: ['NEEDS_REVIEW'] }),
        invoices({ status: ['EXTRACTED'] }),
        invoices({ status: ['EXTRACTED', 'NEEDS_REVIEW'], due_date_to: dayIn(daysSoon) }),
        api.listDocuments({ query: { ...entity, status: ['FAILED', 'UPLOADED'], limit: most }, signal }).then((a) => a.data.items),
        invoices({ limit: 1 }),
      ])
      return { failed, check, ready, due, documents, any }
    },
  })
  if (!work.data) {
    return { items: undefined, error: work.error, hasInvoices: true }
  }
  const { failed, check, ready, due, documents, any } = work.data
  const items: Item[] = []
  for (const integration of integrations.data?.flatMap((p) => p.integrations) ?? []) {
    const bad = integration.status === 'ERROR' || (isAdmin && integration.status === 'PENDING')
    if (bad && (!entityId || integration.entity_id === entityId)) {
      const names = { provider: label('provider', integration.provider), entity: entities.find((e) => e.id === integration.entity_id)?.name ?? '–' }
      items.push({
        id: integration.id,
        tone: integration.status === 'ERROR' ? 'red' : 'amber',
        text: t(integration.status === 'ERROR' ? 'attention.integration' : 'attention.integration.pending', names),
        since: integration.updated_at,
        action: t(integration.status === 'ERROR' ? 'attention.repair' : 'attention.open'),
        to: `/integrations/${integration.id}`,
      })
    }
  }
  const unreadable = documents.filter((d) => d.status === 'FAILED')
  const held = documents.filter((d) => d.held_reason === 'plan_limit_reached')
  const add = (id: string, tone: Item['tone'], some: (InvoiceSummary | Document)[], text: (count: number) => string, action: string, to: string, search?: Record<string, string>) => {
    if (some.length > 0) {
      items.push({ id, tone, text: text(some.length), since: oldest(some), action, to, search })
    }
  }
  add('failed', 'red', failed, (count) => t('attention.syncFailed', { count }), t('attention.repair'), '/inbox', { tab: 'failed' })
  add('unreadable', 'red', unreadable, (count) => t('attention.documentFailed', { count }), t('attention.open'), '/documents')
  add('held', 'amber', held, (count) => t('attention.held', { count }), t('banner.toBilling'), '/billing')
  add('due', 'amber', due, (count) => t('attention.dueSoon', { count }), t('attention.approve'), '/inbox', { tab: 'all', due_to: dayIn(daysSoon) })
  add('check', 'amber', check, (count) => t('attention.check', { count }), t('attention.review'), '/inbox')
  add('ready', 'amber', ready, (count) => t('attention.ready', { count }), t('attention.approve'), '/inbox', { tab: 'ready' })
  return { items, error: integrations.error, hasInvoices: any.length > 0 || documents.length > 0 }
}
