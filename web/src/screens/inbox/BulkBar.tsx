import type { Invoice, InvoiceSummary } from '@docledger/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { api } from '@/api/client'
import { useReachable } from '@/api/connection'
import { invoiceQuery } from '@/api/queries'
import { addDecimals, formatMoney } from '@/format/format'
import { keep } from '@/invoices/actions'
import '@/text/parts/inbox'
import '@/text/parts/review'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { TextField } from '@/ui/fields'
import { notify } from '@/ui/notices'
import { Dialog } from '@/ui/overlays'
import { Banner, errorText, Tag } from '@/ui/parts'

type Action = 'approve' | 'reject' | 'sync'

interface Outcome {
  done: string[]
  /** Invoices with failed checks, which only a person approves, one by one. */
  blocked: InvoiceSummary[]
  failed: { invoice: InvoiceSummary; reason: string }[]
}

const doneText = { approve: 'inbox.bulk.approved', reject: 'inbox.bulk.rejected', sync: 'inbox.bulk.synced' } as const

const nameOf = (invoice: InvoiceSummary) => invoice.invoice_number ?? t('inbox.withoutNumber')

/** What can be done with the selected invoices at once, and their sums. */
export function BulkBar({ invoices, onClear, onAssign }: { invoices: InvoiceSummary[]; onClear: () => void; onAssign: () => void }) {
  const cache = useQueryClient()
  const reachable = useReachable()
  const [rejecting, setRejecting] = useState(false)
  const [reason, setReason] = useState('')

  const one = async (action: Action, invoice: InvoiceSummary, why: string): Promise<Invoice> => {
    const path = { invoice_id: invoice.id }
    switch (action) {
      case 'approve':
        return (await api.approveInvoice({ path, body: { version: invoice.version } })).data
      case 'reject':
        return (await api.rejectInvoice({ path, body: { reason: why } })).data
      case 'sync':
        return (await api.syncInvoice({ path, body: {} })).data
    }
  }
  const run = useMutation({
    mutationFn: async ({ action, why = '' }: { action: Action; why?: string }): Promise<Outcome> => {
      const outcome: Outcome = { done: [], blocked: [], failed: [] }
      const rest = [...invoices]
      const work = async () => {
        for (let invoice = rest.shift(); invoice; invoice = rest.shift()) {
          if (action === 'approve' && invoice.checks_failed.blocking > 0) {
            outcome.blocked.push(invoice)
            continue
          }
          try {
            keep(cache, await one(action, invoice, why))
            outcome.done.push(invoice.id)
          } catch (error) {
            outcome.failed.push({ invoice, reason: errorText(error) })
          }
        }
      }
      await Promise.all([work(), work(), work(), work()])
      return outcome
    },
    onSuccess: ({ done, blocked, failed }, { action }) => {
      if (done.length > 0) {
        notify(t(doneText[action], { count: done.length }), action === 'sync' ? undefined : () => void undo(done))
      }
      if (blocked.length + failed.length === 0) {
        onClear()
      }
    },
  })
  const undo = async (ids: string[]) => {
    for (const id of ids) {
      const { data } = await api.reopenInvoice({ path: { invoice_id: id } })
      cache.setQueryData(invoiceQuery(id).queryKey, data)
    }
    await cache.invalidateQueries({ queryKey: ['invoices'] })
  }
  const left = run.data ? run.data.blocked.length + run.data.failed.length : 0
  return (
    <div className="bulk">
      <div className="row wrap" role="toolbar" aria-label={t('inbox.selected', { count: invoices.length })}>
        <strong>{t('inbox.selected', { count: invoices.length })}</strong>
        <span className="tabular">{sums(invoices)}</span>
        <span className="grow" role="status">{run.isPending && !reachable && <Tag tone="amber" icon="offline">{t('connection.waits')}</Tag>}</span>
        <Button small look="primary" isDisabled={run.isPending} onPress={() => run.mutate({ action: 'approve' })}>{t('inbox.approve')}</Button>
        <Button small isDisabled={run.isPending} onPress={() => setRejecting(true)}>{t('inbox.reject')}</Button>
        <Button small isDisabled={run.isPending} onPress={() => run.mutate({ action: 'sync' })}>{t('inbox.sync')}</Button>
        <Button small isDisabled={run.isPending} onPress={onAssign}>{t('inbox.assign')}</Button>
        <Button small look="quiet" icon="close" label={t('inbox.clearSelection')} onPress={onClear} />
      </div>
      {run.data && left > 0 && (
        <Banner tone="amber" title={t('inbox.bulk.left', { count: left })}>
          {run.data.blocked.length > 0 && <p>{t('inbox.bulk.leftBlocked', { names: run.data.blocked.map(nameOf).join(', ') })}</p>}
          {run.data.failed.map(({ invoice, reason: why }) => <p key={invoice.id}>{t('inbox.bulk.leftFailed', { name: nameOf(invoice), reason: why })}</p>)}
        </Banner>
      )}
      <Dialog title={t('inbox.rejectReason')} isOpen={rejecting} onClose={() => setRejecting(false)}>
        <TextField label={t('review.reason')} value={reason} onChange={setReason} maxLength={1000} lines autoFocus />
        <div className="actions">
          <Button onPress={() => setRejecting(false)}>{t('common.cancel')}</Button>
          <Button look="primary" isDisabled={reason.trim() === ''} onPress={() => { setRejecting(false); run.mutate({ action: 'reject', why: reason }) }}>
            {t('inbox.reject')}
          </Button>
        </div>
      </Dialog>
    </div>
  )
}

/** The gross sum of each currency; credit notes count as negative. */
function sums(invoices: InvoiceSummary[]): string {
  const byCurrency = Map.groupBy(invoices, (i) => i.currency ?? '')
  return [...byCurrency]
    .map(([currency, some]) => {
      const amounts = some.map((i) => (i.document_type === 'CREDIT_NOTE' && i.gross_total ? negated(i.gross_total) : i.gross_total))
      return `${formatMoney(addDecimals(amounts))} ${currency}`
    })
    .join(' + ')
}

const negated = (amount: string) => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`)
