// What a person does with invoices, and how it is undone.
import type { Invoice } from '@docledger/client'
import { useQueryClient } from '@tanstack/react-query'

import { api } from '@/api/client'
import { isLost, whenConnected } from '@/api/connection'
import { invoiceQuery } from '@/api/queries'
import '@/text/parts/inbox'
import { t } from '@/text/text'
import { notify, report } from '@/ui/notices'
import { errorText } from '@/ui/parts'

import { keep } from './keep'

/**
 * Sends a decision on an invoice. If the connection ends before the response, it is not known whether the decision was
 * received. So the invoice is read when there is a connection again, and the decision is sent again if it is missing.
 * If it is there, somebody else may have made it: sure is false.
 */
export async function decideOnce(id: string, decided: readonly Invoice['status'][], send: () => Promise<{ data: Invoice }>): Promise<{ data: Invoice; sure: boolean }> {
  try {
    return { data: (await send()).data, sure: true }
  } catch (error) {
    if (!isLost(error)) {
      throw error
    }
    await whenConnected()
    const { data } = await api.getInvoice({ path: { invoice_id: id } })
    return decided.includes(data.status) ? { data, sure: false } : { data: (await send()).data, sure: true }
  }
}

/** The statuses of an invoice that is approved or rejected. */
export const decidedAs: Record<'approve' | 'reject', readonly Invoice['status'][]> = { approve: ['APPROVED', 'SYNCED', 'SYNC_FAILED'], reject: ['REJECTED'] }

/** The header that limits a request to the version that the person saw. */
export const onlyVersion = (invoice: { version: number }) => ({ 'If-Match': `"${invoice.version}"` })

const nameOf = (invoice: Invoice) => invoice.invoice_number ?? t('inbox.withoutNumber')

export function useInvoiceActions() {
  const cache = useQueryClient()
  const reopen = async (id: string) => {
    const { data } = await api.reopenInvoice({ path: { invoice_id: id } })
    keep(cache, data)
    return data
  }
  const undo = (invoice: Invoice) => {
    reopen(invoice.id).catch((error: unknown) => report(t('invoice.notUndone', { number: nameOf(invoice), reason: errorText(error) })))
  }
  return {
    reopen,

    /** Approves the version that the person saw; the rules of acknowledge are its failed BLOCKING checks. */
    approve: async (invoice: Invoice, acknowledge: string[] = []) => {
      const { data, sure } = await decideOnce(invoice.id, decidedAs.approve, () => api.approveInvoice({
        path: { invoice_id: invoice.id },
        body: { version: invoice.version, ...(acknowledge.length > 0 ? { acknowledge_checks: acknowledge } : {}) },
      }))
      keep(cache, data)
      notify(t(sure ? 'invoice.approved' : 'invoice.isApproved', { number: nameOf(data) }), sure ? () => undo(data) : undefined)
      return data
    },

    /** Rejects the version that the person saw. */
    reject: async (invoice: Invoice, reason: string) => {
      const { data, sure } = await decideOnce(invoice.id, decidedAs.reject, () => api.rejectInvoice({ path: { invoice_id: invoice.id }, body: { reason }, headers: onlyVersion(invoice) }))
      keep(cache, data)
      notify(t(sure ? 'invoice.rejected' : 'invoice.isRejected', { number: nameOf(data) }), sure ? () => undo(data) : undefined)
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
