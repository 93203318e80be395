import type { Invoice, InvoiceSummary } from '@docledger/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'

import { api } from '@/api/client'
import { useReachable } from '@/api/connection'
import { addDecimals, formatMoney } from '@/format/format'
import { decidedAs, decideOnce, onlyVersion } from '@/invoices/actions'
import { keep } from '@/invoices/keep'
import '@/text/parts/inbox'
import '@/text/parts/review'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { TextField } from '@/ui/fields'
import { notify, report } from '@/ui/notices'
import { Dialog } from '@/ui/overlays'
import { Banner, errorText, Tag } from '@/ui/parts'

type Action = 'approve' | 'reject' | 'sync'

interface Outcome {
  done: string[]
  /** Those of done that this action decided for sure: a lost response does not tell who did it. */
  own: InvoiceSummary[]
  /** Invoices with failed checks, which only a person approves, one by one. */
  blocked: InvoiceSummary[]
  failed: { invoice: InvoiceSummary; reason: string }[]
}

const doneText = { approve: 'inbox.bulk.approved', reject: 'inbox.bulk.rejected', sync: 'inbox.bulk.synced' } as const

const nameOf = (invoice: InvoiceSummary) => invoice.invoice_number ?? t('inbox.withoutNumber')

/** Why invoices were left. */
const reasonsOf = (blocked: Outcome['blocked'], failed: Outcome['failed']): string[] => [
  ...(blocked.length > 0 ? [t('inbox.bulk.leftBlocked', { names: blocked.map(nameOf).join(', ') })] : []),
  ...failed.map(({ invoice, reason }) => t('inbox.bulk.leftFailed', { name: nameOf(invoice), reason })),
]

/** What can be done with the selected invoices at once, and their sums. */
export function BulkBar({ invoices, onClear, onDone, onAssign }: { invoices: InvoiceSummary[]; onClear: () => void; onDone: (ids: string[]) => void; onAssign: () => void }) {
  const cache = useQueryClient()
  const reachable = useReachable()
  const [rejecting, setRejecting] = useState(false)
  const [reason, setReason] = useState('')

  // Who has left the list, or has cleared the selection, does not see what this bar shows.
  const shown = useRef(true)
  useEffect(() => {
    shown.current = true
    return () => { shown.current = false }
  }, [])

  const one = async (action: Action, invoice: InvoiceSummary, why: string): Promise<{ data: Invoice; sure: boolean }> => {
    const path = { invoice_id: invoice.id }
    switch (action) {
      case 'approve':
        return decideOnce(invoice.id, decidedAs.approve, () => api.approveInvoice({ path, body: { version: invoice.version } }))
      case 'reject':
        return decideOnce(invoice.id, decidedAs.reject, () => api.rejectInvoice({ path, body: { reason: why }, headers: onlyVersion(invoice) }))
      case 'sync':
        return { data: (await api.syncInvoice({ path, body: {} })).data, sure: true }
    }
  }
  const run = useMutation({
    // The invoices are those that were selected at the click: the action may wait while the person selects others.
    mutationFn: async ({ action, chosen, why = '' }: { action: Action; chosen: InvoiceSummary[]; why?: string }): Promise<Outcome> => {
      const outcome: Outcome = { done: [], own: [], blocked: [], failed: [] }
      const rest = [...chosen]
      const work = async () => {
        for (let invoice = rest.shift(); invoice; invoice = rest.shift()) {
          if (action === 'approve' && invoice.checks_failed.blocking > 0) {
            outcome.blocked.push(invoice)
            continue
          }
          try {
            const { data, sure } = await one(action, invoice, why)
            keep(cache, data)
            outcome.done.push(invoice.id)
            if (sure) {
              outcome.own.push(invoice)
            }
          } catch (error) {
            outcome.failed.push({ invoice, reason: errorText(error) })
          }
        }
      }
      await Promise.all([work(), work(), work(), work()])
      return outcome
    },
    onSuccess: ({ done, own, blocked, failed }, { action }) => {
      if (done.length > 0) {
        notify(t(doneText[action], { count: done.length }), action === 'sync' || own.length === 0 ? undefined : () => void undo(own))
      }
      onDone(done)
      if (!shown.current) {
        reasonsOf(blocked, failed).forEach(report)
      }
    },
  })
  const undo = async (own: InvoiceSummary[]) => {
    for (const invoice of own) {
      try {
        keep(cache, (await api.reopenInvoice({ path: { invoice_id: invoice.id } })).data)
      } catch (error) {
        report(t('invoice.notUndone', { number: nameOf(invoice), reason: errorText(error) }))
      }
    }
  }
  const left = run.data ? run.data.blocked.length + run.data.failed.length : 0
  return (
    <div className="bulk">
      <div className="row wrap" role="toolbar" aria-label={t('inbox.selected', { count: invoices.length })}>
        <strong>{t('inbox.selected', { count: invoices.length })}</strong>
        <span className="tabular">{sums(invoices)}</span>
        <span className="grow" role="status">{run.isPending && !reachable && <Tag tone="amber" icon="offline">{t('connection.waits')}</Tag>}</span>
        <Button small look="primary" isDisabled={run.isPending} onPress={() => run.mutate({ action: 'approve', chosen: invoices })}>{t('inbox.approve')}</Button>
        <Button small isDisabled={run.isPending} onPress={() => setRejecting(true)}>{t('inbox.reject')}</Button>
        <Button small isDisabled={run.isPending} onPress={() => run.mutate({ action: 'sync', chosen: invoices })}>{t('inbox.sync')}</Button>
        <Button small isDisabled={run.isPending} onPress={onAssign}>{t('inbox.assign')}</Button>
        <Button small look="quiet" icon="close" label={t('inbox.clearSelection')} onPress={onClear} />
      </div>
      {run.data && left > 0 && (
        <Banner tone="amber" title={t('inbox.bulk.left', { count: left })}>
          {reasonsOf(run.data.blocked, run.data.failed).map((text) => <p key={text}>{text}</p>)}
        </Banner>
      )}
      <Dialog title={t('inbox.rejectReason')} isOpen={rejecting} onClose={() => setRejecting(false)}>
        <TextField label={t('review.reason')} value={reason} onChange={setReason} maxLength={1000} lines autoFocus />
        <div className="actions">
          <Button onPress={() => setRejecting(false)}>{t('common.cancel')}</Button>
          <Button look="primary" isDisabled={reason.trim() === ''} onPress={() => { setRejecting(false); run.mutate({ action: 'reject', chosen: invoices, why: reason }) }}>
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
