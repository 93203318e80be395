import { queryOptions } from '@tanstack/react-query'

import { api } from '@/api/client'

const dayMs = 86_400_000

const ago = (days: number) => new Date(Date.now() - days * dayMs).toISOString()

export const reportQuery = (days: number) =>
  queryOptions({
    queryKey: ['overview', 'report', days],
    queryFn: async ({ signal }) => (await api.getProcessingReport({ query: { days }, signal })).data,
  })

/** The ages in days at which a new group of waiting invoices begins. */
export const ages = [
  { id: 'day', from: 0, to: 1 },
  { id: 'week', from: 1, to: 7 },
  { id: 'month', from: 7, to: 30 },
  { id: 'more', from: 30, to: undefined },
] as const

export const waitingQuery = (entityId: string | undefined) =>
  queryOptions({
    queryKey: ['overview', 'waiting', entityId],
    queryFn: ({ signal }) =>
      Promise.all(ages.map(async ({ id, from, to }) => {
        const { data } = await api.sumInvoices({
          query: {
            group_by: ['status'],
            status: ['NEEDS_REVIEW', 'EXTRACTED'],
            ...(entityId ? { entity_id: entityId } : {}),
            ...(from > 0 ? { created_to: ago(from) } : {}),
            ...(to === undefined ? {} : { created_from: ago(to) }),
          },
          signal,
        })
        return { id, count: data.items.reduce((sum, i) => sum + i.count, 0) }
      })),
  })

/** The first day of the month eleven months before this one. */
function firstDay(): string {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 11, 1)).toISOString().slice(0, 10)
}

export const spendQuery = (entityId: string | undefined, by: 'month' | 'supplier') =>
  queryOptions({
    queryKey: ['overview', 'spend', entityId, by],
    queryFn: async ({ signal }) =>
      (await api.sumInvoices({ query: { group_by: [by], issue_date_from: firstDay(), ...(entityId ? { entity_id: entityId } : {}) }, signal })).data.items,
  })
