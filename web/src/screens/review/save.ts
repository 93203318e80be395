// Saves edits of one invoice one after the other, each on the version before it.
import { hasCode, type Invoice, type InvoicePatch } from '@docledger/client'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useRef } from 'react'

import { api } from '@/api/client'
import { invoiceQuery } from '@/api/queries'
import { keep } from '@/invoices/actions'

/** Somebody else changed the invoice after it was read. */
export class Conflict extends Error {
  constructor(readonly current: Invoice) {
    super('version conflict')
  }
}

export type Save = (patch: InvoicePatch) => Promise<Invoice>

export interface Saving {
  run: Save
  /** Resolves when all edits have ended, to whether the last one was saved. */
  settled: () => Promise<boolean>
}

export function useSave(id: string): Saving {
  const cache = useQueryClient()
  const last = useRef<Promise<boolean>>(Promise.resolve(true))
  const run = useCallback<Save>(
    (patch) => {
      const send = async () => {
        const known = cache.getQueryData(invoiceQuery(id).queryKey)
        try {
          const { data } = await api.updateInvoice({
            path: { invoice_id: id },
            body: patch,
            headers: known ? { 'If-Match': `"${known.version}"` } : {},
          })
          keep(cache, data)
          return data
        } catch (error) {
          if (!hasCode(error, 'version_conflict')) {
            throw error
          }
          throw new Conflict(await cache.fetchQuery({ ...invoiceQuery(id), staleTime: 0 }))
        }
      }
      const saved = last.current.then(send)
      last.current = saved.then(() => true, () => false)
      return saved
    },
    [cache, id],
  )
  return useMemo(() => ({ run, settled: () => last.current }), [run])
}
