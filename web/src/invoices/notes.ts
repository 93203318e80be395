import type { Event } from '@docledger/client'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { api } from '@/api/client'

const mostEvents = 500

/** Everything that happened to an invoice, oldest first. */
export const historyQuery = (invoiceId: string) =>
  queryOptions({
    queryKey: ['history', invoiceId],
    queryFn: ({ signal }): Promise<Event[]> => api.getInvoiceHistory({ path: { invoice_id: invoiceId }, signal }).toArray(mostEvents),
  })

/** Adds a note to the history of an invoice. */
export function useAddNote(invoiceId: string) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (text: string) => api.addInvoiceNote({ path: { invoice_id: invoiceId }, body: { text } }),
    onSuccess: () => cache.invalidateQueries({ queryKey: historyQuery(invoiceId).queryKey }),
  })
}
