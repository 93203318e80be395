// What a person does with invoices, and how it is undone.
import { isDocledgerError, type Invoice } from '@docledger/client'
import { useQueryClient, type QueryClient } from '@tanstack/react-query'

import { api } from '@/api/client'
import { connected } from '@/api/connection'
import { invoiceQuery } from '@/api/queries'
import '@/text/parts/inbox'
import { t } from '@/text/text'
import { notify } from '@/ui/notices'

/** Stores the new state of an invoice, and reads lists and counts again. */
export function keep(cache: QueryClient, invoice: Invoice): void {
  cache.setQueryData(invoiceQuery(invoice.id).queryKey, invoice)
  void cache.invalidateQueries({ queryKey: ['invoices'] })
  void cache.invalidateQueries({ queryKey: ['attention'] })
  void cache.invalidateQueries({ queryKey: ['history', invoice.id] })
}

/**
 * Sends a decision on an invoice. If the connection ends before the response, it is not known whether the decision was
 * received. So the invoice is read when there is a connection again, and the decision is sent again if it is missing.
 */
async function decide(invoice: Invoice, decided: readonly Invoice['status'][], send: () => Promise<{ data: Invoice }>): Promise<Invoice> {
  try {
    return (await send()).data
  } catch (error) {
    if (!isDocledgerError(error) || error.code !== 'connection_failed') {
      throw error
    }
    await connected()
    const { data } = await api.getInvoice({ path: { invoice_id: invoice.id } })
    return decided.includes(data.status) ? data : (await send()).data
  }
}

const nameOf = (invoice: Invoice) => invoice.invoice_number ?? t('inbox.withoutNumber')

export function useInvoiceActions() {
  const cache = useQueryClient()
  const reopen = async (id: string) => {
    const { data } = await api.reopenInvoice({ path: { invoice_id: id } })
    keep(cache, data)
    return data
  }
  return {
    reopen,

    /** Approves the version that the person saw; the rules of acknowledge are its failed BLOCKING checks. */
    approve: async (invoice: Invoice, acknowledge: string[] = []) => {
      const data = await decide(invoice, ['APPROVED', 'SYNCED', 'SYNC_FAILED'], () => api.approveInvoice({
        path: { invoice_id: invoice.id },
        body: { version: invoice.version, ...(acknowledge.length > 0 ? { acknowledge_checks: acknowledge } : {}) },
      }))
      keep(cache, data)
      notify(t('invoice.approved', { number: nameOf(data) }), () => void reopen(data.id))
      return data
    },

    reject: async (invoice: Invoice, reason: string) => {
      const data = await decide(invoice, ['REJECTED'], () => api.rejectInvoice({ path: { invoice_id: invoice.id }, body: { reason } }))
      keep(cache, data)
      notify(t('invoice.rejected', { number: nameOf(data) }), () => void reopen(data.id))
      return data
    },

    /** Records that an invoice and another one are different invoices. */
    dismissDuplicate: async (id: string, other: string, reason: string) => {
      const { data } = await api.dismissDuplicate({ path: { invoice_id: id }, body: { invoice_id: other, reason } })
      void cache.invalidateQueries({ queryKey: invoiceQuery(other).queryKey })
      keep(cache, data)
      return data
    },

    /** Assigns invoices to a member, or to no one. */
    assign: async (ids: readonly string[], userId: string | null) => {
      for (const id of ids) {
        const { data } = await api.assignInvoice({ path: { invoice_id: id }, body: { user_id: userId } })
        keep(cache, data)
      }
      notify(t(userId === null ? 'assign.ended' : 'assign.done', { count: ids.length }))
    },

    sync: async (id: string, options: { link?: string; force?: boolean } = {}) => {
      const { data } = await api.syncInvoice({ path: { invoice_id: id }, body: options })
      keep(cache, data)
      return data
    },
  }
}
