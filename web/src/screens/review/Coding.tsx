import type { Invoice } from '@docledger/client'
import { Link } from '@tanstack/react-router'

import { useIsAdmin } from '@/layout/useEntity'
import '@/text/parts/review'
import { t } from '@/text/text'
import { ComboField } from '@/ui/choices'

import type { LedgerOptions } from '@/invoices/ledger'
import type { Edit, Save } from '@/invoices/edits'

interface Props {
  invoice: Invoice
  ledger: LedgerOptions
  edits: readonly Edit[]
  readOnly: boolean
  save: Save
}

/** The account and the tax rate of all lines at once. */
export function Coding({ invoice, ledger, edits, readOnly, save }: Props) {
  const isAdmin = useIsAdmin()
  if (!ledger.connected) {
    return (
      <p className="muted">
        {t('review.noLedger')} {isAdmin && <Link to="/integrations">{t('review.connectLedger')}</Link>}
      </p>
    )
  }
  const only = (values: (string | null)[]) => (new Set(values).size === 1 ? (values[0] ?? null) : null)
  const setAll = (part: 'account_id' | 'tax_rate_id', value: string) =>
    void save({
      key: `coding.${part}`,
      label: t(part === 'account_id' ? 'review.account' : 'review.taxRate'),
      value: (part === 'account_id' ? ledger.accounts : ledger.taxRates).find((each) => each.value === value)?.label ?? value,
      patch: { lines: invoice.lines.map((l) => ({ id: l.id, [part]: value })) },
    })
  /** What the person chose is shown until it is saved. */
  const chosen = (part: 'account_id' | 'tax_rate_id') => {
    const edit = edits.find((each) => each.key === `coding.${part}`)
    return edit && edit.state !== 'conflict' ? (edit.patch.lines?.[0]?.[part] ?? null) : only(invoice.lines.map((l) => l[part]))
  }
  const account = chosen('account_id')
  const taxRate = chosen('tax_rate_id')
  const placeholder = (values: (string | null)[]) => (values.some((v) => v !== null) ? t('review.mixed') : t('line.choose'))
  return (
    <div className="stack">
      <div className="form">
        <ComboField
          key={`account-${ledger.accounts.length}-${account}`}
          label={t('review.account')}
          options={ledger.accounts}
          value={account}
          onChange={(id) => setAll('account_id', id)}
          isDisabled={readOnly || invoice.lines.length === 0 || ledger.accounts.length === 0}
          placeholder={placeholder(invoice.lines.map((l) => l.account_id))}
        />
        <ComboField
          key={`tax-${ledger.taxRates.length}-${taxRate}`}
          label={t('review.taxRate')}
          options={ledger.taxRates}
          value={taxRate}
          onChange={(id) => setAll('tax_rate_id', id)}
          isDisabled={readOnly || invoice.lines.length === 0 || ledger.taxRates.length === 0}
          placeholder={placeholder(invoice.lines.map((l) => l.tax_rate_id))}
        />
      </div>
    </div>
  )
}
