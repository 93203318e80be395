import { queryOptions } from '@tanstack/react-query'

import { api } from '@/api/client'

const dayMs = 86_400_000

const ago = (days: number) => new Date(Date.now() - days * dayMs).toISOString()

export const reportQuery = (days: number) =>
  queryOptions({
    queryKey: ['overview', 'report', days],
    queryFn: async ({ signal }) => (await api.getProcessingReport({ query: { days }, signal })).data,
  })

/** The groups of waiting invoices, by age in days. */
export const ages = [
  { id: 'day', to: 1 },
  { id: 'week', to: 7 },
  { id: 'month', to: 30 },
  { id: 'more', to: undefined },
] as const

export const waitingQuery = (entityId: string | undefined) =>
  queryOptions({
    queryKey: ['overview', 'waiting', entityId],
    queryFn: async ({ signal }) => {
      // A group is the difference of two counts from an age until now, because the service reads few
      // recent invoices quickly, but all older ones to find those that wait.
      const younger = await Promise.all(ages.map(async ({ to }) => {
        const { data } = await api.sumInvoices({
          query: {
            group_by: ['status'],
            status: ['NEEDS_REVIEW', 'EXTRACTED'],
            ...(entityId ? { entity_id: entityId } : {}),
            ...(to === undefined ? {} : { created_from: ago(to) }),
          },
          signal,
        })
        return data.items.reduce((sum, i) => sum + i.count, 0)
      }))
      // An invoice may arrive or be approved between two counts.
      return ages.map(({ id }, n) => ({ id, count: Math.max(0, younger[n]! - (n > 0 ? younger[n - 1]! : 0)) }))
    },
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
