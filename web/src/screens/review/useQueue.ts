import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

import { documentQuery, invoiceQuery } from '@/api/queries'
import { isStructured } from '@/pages/PageDialog'
import { pageImageQuery, pageWordsQuery } from '@/pages/queries'
import { useInvoices } from '@/screens/inbox/queries'
import { filtersOf, type InboxSearch } from '@/screens/inbox/search'

// An invoice leaves its filtered list when it is approved. The queue keeps the
// order in which the person began, so that the next invoice stays the next.
const orders = new Map<string, string[]>()

/** Forgets the orders, so that the next review begins with the lists of now. */
export const restartQueues = (): void => orders.clear()

export interface Queue {
  /** The list is not loaded yet, so that the next invoice is not known. */
  pending: boolean
  position: number | undefined
  total: number
  /** There may be more than total. */
  more: boolean
  next: string | undefined
  previous: string | undefined
}

/** The place of an invoice in the list that the person came from. */
export function useQueue(search: InboxSearch, id: string): Queue {
  const { invoices, hasNextPage, isPending, fetchNextPage } = useInvoices(search)
  const key = JSON.stringify(filtersOf(search))
  let order = orders.get(key) ?? []
  if (!isPending) {
    const known = new Set(order)
    const added = invoices.map((i) => i.id).filter((each) => !known.has(each))
    if (added.length > 0) {
      order = [...order, ...added]
      orders.set(key, order)
    }
  }
  const at = order.indexOf(id)
  useEffect(() => {
    if (hasNextPage && at >= 0 && at > order.length - 10) {
      void fetchNextPage()
    }
  }, [hasNextPage, at, order.length, fetchNextPage])
  return {
    pending: isPending,
    position: at < 0 ? undefined : at + 1,
    total: order.length,
    more: hasNextPage,
    next: at < 0 ? order.find((each) => each !== id) : order[at + 1],
    previous: at > 0 ? order[at - 1] : undefined,
  }
}

/** Reads the next invoice and its page in advance, so that it opens at once. */
export function usePrefetch(id: string | undefined, width: number): void {
  const cache = useQueryClient()
  useEffect(() => {
    if (!id || width === 0) {
      return
    }
    const read = async () => {
      const invoice = await cache.fetchQuery({ ...invoiceQuery(id), staleTime: 15_000 })
      const document = await cache.fetchQuery({ ...documentQuery(invoice.document_id), staleTime: 60_000 })
      if (!isStructured(document.media_type)) {
        await cache.prefetchQuery(pageImageQuery(document.id, 1, width))
        await cache.prefetchQuery(pageWordsQuery(document.id, 1))
      }
    }
    read().catch(() => undefined) // opening it will show the error
  }, [cache, id, width])
}
