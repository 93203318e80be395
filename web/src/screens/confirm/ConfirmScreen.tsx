import type { Invoice } from '@docledger/client'
import { useMutation, useQueries, useQueryClient } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { api } from '@/api/client'
import { invoiceQuery } from '@/api/queries'
import { formatDate, formatMoney } from '@/format/format'
import { blockingRules, failedChecks, reasonOf } from '@/invoices/reasons'
import { useEntity } from '@/layout/useEntity'
import '@/text/parts/confirm'
import '@/text/parts/inbox'
import { label, t } from '@/text/text'
import { Button } from '@/ui/Button'
import { TextField } from '@/ui/fields'
import { Banner, ErrorBanner, Page, Skeleton, Tag, errorText } from '@/ui/parts'

import { idsOf, type Confirmation } from './search'
import './confirm.css'

const titles = { approve: 'confirm.title.approve', reject: 'confirm.title.reject', sync: 'confirm.title.sync' } as const
const buttons = { approve: 'confirm.do.approve', reject: 'confirm.do.reject', sync: 'confirm.do.sync' } as const

/**
 * What an assistant asked for and may not do. A person sees each invoice as it
 * is now and confirms all or some. Nothing changes before that.
 */
export function ConfirmScreen() {
  const { action, items, reason: asked } = useSearch({ from: '/shell/confirm' }) as Confirmation
  const ids = idsOf(items)
  const cache = useQueryClient()
  const reads = useQueries({ queries: ids.map((id) => ({ ...invoiceQuery(id), staleTime: 0 })) })
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [compared, setCompared] = useState<ReadonlySet<string>>(new Set())
  const [reason, setReason] = useState(asked ?? '')
  const found = reads.flatMap((read) => (read.data ? [read.data] : []))
  const blocked = (invoice: Invoice) => (action === 'approve' ? blockingRules(invoice.checks) : [])
  // Results of all tries: a later try sends only what is not done.
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map())
  const chosen = found.filter(
    (invoice) => !left.has(invoice.id) && !results.get(invoice.id)?.ok && (blocked(invoice).length === 0 || compared.has(shown(invoice))),
  )
  const run = useMutation({
    // The server gets the versions that this page shows.
    mutationFn: async (invoices: Invoice[]) =>
      (await api.changeInvoices({
        body: {
          action: action!,
          items: invoices.map((invoice) => ({
            id: invoice.id, version: invoice.version, ...(blocked(invoice).length > 0 ? { acknowledge_checks: blocked(invoice) } : {}),
          })),
          ...(action === 'reject' ? { reason: reason.trim() } : {}),
        },
      })).data.items,
    onSuccess: (items) => setResults((earlier) => new Map([...earlier, ...items.map((item) => [item.id, item] as const)])),
    onSettled: () => Promise.all([['invoice'], ['invoices'], ['attention']].map((queryKey) => cache.invalidateQueries({ queryKey }))),
  })
  if (!action || ids.length === 0) {
    return <Page title={t('confirm.title')}><Banner tone="red" title={t('confirm.invalid')} /></Page>
  }
  const failed = reads.find((read) => read.isError)
  return (
    <Page title={t(titles[action], { count: ids.length })} lead={t('confirm.lead')}>
      {failed && <ErrorBanner error={failed.error} onRetry={() => void failed.refetch()} />}
      {reads.some((read) => read.isPending) && <Skeleton />}
      <ul className="confirm stack">
        {found.map((invoice) => (
          <Item
            key={invoice.id}
            invoice={invoice}
            selected={!left.has(invoice.id)}
            onSelect={() => setLeft(toggled(left, invoice.id))}
            needsComparison={blocked(invoice).length > 0}
            compared={compared.has(shown(invoice))}
            onCompared={() => setCompared(toggled(compared, shown(invoice)))}
            result={results.get(invoice.id)}
            disabled={run.isPending}
          />
        ))}
      </ul>
      {run.isError && <Banner tone="red" title={errorText(run.error)} />}
      {action === 'reject' && <TextField label={t('confirm.reason')} value={reason} onChange={setReason} maxLength={1000} lines />}
      {results.size > 0 && <Banner tone="green" title={t('confirm.done', { count: [...results.values()].filter((r) => r.ok).length })} />}
      <div className="actions">
        <Button
          look="primary"
          isDisabled={run.isPending || chosen.length === 0 || (action === 'reject' && reason.trim() === '')}
          onPress={() => run.mutate(chosen)}
        >
          {t(buttons[action], { count: chosen.length })}
        </Button>
      </div>
    </Page>
  )
}

const toggled = (set: ReadonlySet<string>, id: string): ReadonlySet<string> => {
  const next = new Set(set)
  if (!next.delete(id)) {
    next.add(id)
  }
  return next
}

/** What a person compared: a later version of an invoice can have other failed checks. */
const shown = (invoice: Invoice): string => `${invoice.id} ${invoice.version}`

interface Result {
  id: string
  ok: boolean
  status: string | null
  error: { message: string } | null
}

interface ItemProps {
  invoice: Invoice
  selected: boolean
  onSelect: () => void
  needsComparison: boolean
  compared: boolean
  onCompared: () => void
  result?: Result
  disabled: boolean
}

function Item({ invoice, selected, onSelect, needsComparison, compared, onCompared, result, disabled }: ItemProps) {
  const { entities } = useEntity()
  const failed = failedChecks(invoice.checks)
  const number = invoice.invoice_number ?? t('inbox.withoutNumber')
  const supplier = invoice.seller?.name ?? t('inbox.withoutSupplier')
  return (
    <li className="stack">
      <label className="row wrap">
        <input type="checkbox" checked={selected} onChange={onSelect} disabled={disabled || result?.ok} aria-label={t('inbox.column.selectOne', { number, supplier })} />
        <strong>{supplier}</strong>
        <span className="grow" />
        <strong className="tabular">{invoice.gross_total === null ? '–' : formatMoney(invoice.gross_total)} {invoice.currency ?? ''}</strong>
      </label>
      <dl className="facts">
        <div><dt>{t('inbox.column.number')}</dt><dd><Link to="/invoices/$id" params={{ id: invoice.id }} search={{}}>{number}</Link></dd></div>
        <div><dt>{t('inbox.column.due')}</dt><dd>{invoice.due_date ? formatDate(invoice.due_date) : '–'}</dd></div>
        <div><dt>{t('confirm.bankAccount')}</dt><dd>{invoice.payment?.iban ?? invoice.seller?.iban ?? '–'}</dd></div>
        <div><dt>{t('inbox.column.entity')}</dt><dd>{entities.find((e) => e.id === invoice.entity_id)?.name ?? '–'}</dd></div>
        <div><dt>{t('inbox.column.reason')}</dt><dd>{label('status', result?.status ?? invoice.status)}</dd></div>
      </dl>
      {failed.length > 0 && (
        <ul className="stack">
          {failed.map((check, i) => (
            <li key={`${check.rule}-${i}`}><Tag tone={check.severity === 'BLOCKING' ? 'red' : 'amber'}>{reasonOf(check)}</Tag></li>
          ))}
        </ul>
      )}
      {needsComparison && !result?.ok && (
        <label className="row"><input type="checkbox" checked={compared} onChange={onCompared} disabled={disabled} /> {t('confirm.compared')}</label>
      )}
      {result && !result.ok && <Banner tone="red" title={result.error?.message ?? ''} />}
    </li>
  )
}
