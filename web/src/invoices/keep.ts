import type { Invoice } from '@docledger/client'
import type { QueryClient } from '@tanstack/react-query'

import { invoiceQuery } from '@/api/queries'

/** Stores the new state of an invoice, and reads lists and counts again. */
export function keep(cache: QueryClient, invoice: Invoice): void {
  cache.setQueryData(invoiceQuery(invoice.id).queryKey, invoice)
  void cache.invalidateQueries({ queryKey: ['invoices'] })
  void cache.invalidateQueries({ queryKey: ['attention'] })
  void cache.invalidateQueries({ queryKey: ['history', invoice.id] })
}
