import type { InvoiceSum } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { addDecimals, formatMoney, formatMonth } from '@/format/format'
import { useEntity } from '@/layout/useEntity'
import '@/text/parts/inbox'
import '@/text/parts/overview'
import { t } from '@/text/text'
import { BarTable, type Bar } from '@/ui/BarTable'
import { SelectField } from '@/ui/choices'
import { Empty, ErrorBanner, Section, Skeleton } from '@/ui/parts'

import { spendQuery } from './queries'

const shownSuppliers = 10

/** What was spent, by month and by supplier. Amounts of different currencies are never added. */
export function Spend() {
  const { entityId } = useEntity()
  const months = useQuery(spendQuery(entityId, 'month'))
  const suppliers = useQuery(spendQuery(entityId, 'supplier'))
  const [chosen, choose] = useState<string>()
  const counts = new Map<string, number>()
  for (const { currency, count } of months.data ?? []) {
    if (currency !== null) {
      counts.set(currency, (counts.get(currency) ?? 0) + count)
    }
  }
  const currencies = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)!)
  const currency = chosen !== undefined && counts.has(chosen) ? chosen : currencies[0]
  const error = months.error ?? suppliers.error
  const ofCurrency = (items: InvoiceSum[] | undefined) => (items ?? []).filter((i) => i.currency === currency)
  return (
    <Section
      title={t('overview.spend')}
      lead={t('overview.spend.lead')}
      actions={currencies.length > 1 && <SelectField bare label={t('overview.currency')} options={currencies.map((c) => ({ value: c, label: c }))} value={currency!} onChange={choose} />}
    >
      {error && <ErrorBanner error={error} onRetry={() => { void months.refetch(); void suppliers.refetch() }} />}
      {(months.isPending || suppliers.isPending) && <Skeleton rows={8} />}
      {months.data && suppliers.data && (currency === undefined
        ? <div className="panel"><Empty title={t('overview.spend.none')} /></div>
        : (
          <>
            <h3>{t('overview.byMonth')}</h3>
            <BarTable label={t('overview.byMonth')} columns={{ label: t('overview.month'), value: `${t('overview.gross')} (${currency})` }} rows={byMonth(ofCurrency(months.data))} />
            <h3>{t('overview.bySupplier')}</h3>
            <BarTable label={t('overview.bySupplier')} columns={{ label: t('overview.supplier'), value: `${t('overview.gross')} (${currency})` }} rows={bySupplier(ofCurrency(suppliers.data))} />
          </>
        ))}
    </Section>
  )
}

const bar = (id: string, label: string, amount: string): Bar => ({ id, label, size: Number(amount), value: formatMoney(amount) })

const byMonth = (items: InvoiceSum[]): Bar[] =>
  items
    .filter((i) => i.month !== null)
    .sort((a, b) => a.month!.localeCompare(b.month!))
    .map((i) => bar(i.month!, formatMonth(i.month!), i.gross_total ?? '0'))

/** The suppliers with the largest sums, and the others together. */
function bySupplier(items: InvoiceSum[]): Bar[] {
  const sorted = items.toSorted((a, b) => Number(b.gross_total ?? 0) - Number(a.gross_total ?? 0))
  const others = sorted.slice(shownSuppliers)
  return [
    ...sorted.slice(0, shownSuppliers).map((i, n) => bar(String(n), i.supplier_name ?? i.supplier_tax_id ?? t('inbox.withoutSupplier'), i.gross_total ?? '0')),
    ...(others.length > 0 ? [bar('others', t('overview.others', { count: others.length }), addDecimals(others.map((i) => i.gross_total)))] : []),
  ]
}
