import type { InvoiceSummary } from '@docledger/client'
import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'

import { api } from '@/api/client'

import { filtersOf, tabs, type InboxSearch, type Tab } from './search'

const pageSize = 100

export const invoicesQuery = (search: InboxSearch) => {
  const filters = filtersOf(search)
  return infiniteQueryOptions({
    queryKey: ['invoices', filters],
    queryFn: async ({ pageParam, signal }) =>
      (await api.listInvoices({ query: { ...filters, limit: pageSize, ...(pageParam ? { cursor: pageParam } : {}) }, signal })).data,
    initialPageParam: '',
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })
}

/** The invoices of a filtered list, which is also the queue of the review. */
export function useInvoices(search: InboxSearch) {
  const list = useInfiniteQuery(invoicesQuery(search))
  const invoices = useMemo<InvoiceSummary[]>(() => list.data?.pages.flatMap((p) => p.items) ?? [], [list.data])
  return { ...list, invoices }
}

// As many as a page of the list, which a person reads before the exact number matters.
const countedMost = 100

export interface Count {
  count: number
  /** There are more than were counted. */
  more: boolean
}

/** How many invoices each tab has, as far as they were counted. */
export function useCounts(entityId: string | undefined, enabled: boolean): Record<Tab, Count> | undefined {
  return useQuery({
    enabled,
    queryKey: ['invoices', 'counts', entityId],
    queryFn: async ({ signal }) => {
      const counts = await Promise.all(
        (Object.keys(tabs) as Tab[]).map(async (tab): Promise<[Tab, Count]> => {
          const { data } = await api.listInvoices({ query: { ...filtersOf({ tab, entity: entityId }), limit: countedMost }, signal })
          return [tab, { count: data.items.length, more: data.next_cursor !== null }]
        }),
      )
      return Object.fromEntries(counts) as Record<Tab, Count>
    },
  }).data
}

/** How many invoices were synced today without a person. */
export function useSyncedToday(entityId: string | undefined, enabled: boolean): number | undefined {
  return useQuery({
    queryKey: ['invoices', 'synced-today', entityId],
    enabled,
    queryFn: async ({ signal }) => {
      const midnight = new Date()
      midnight.setHours(0, 0, 0, 0)
      const query = { type: ['invoice.approved'], created_from: midnight.toISOString(), limit: 200, ...(entityId ? { entity_id: entityId } : {}) }
      const approved = await api.listEvents({ query, signal }).toArray(2000)
      return approved.filter((e) => e.actor.type === 'SYSTEM').length
    },
  }).data
}
