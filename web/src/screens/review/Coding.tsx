import type { Invoice } from '@docledger/client'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { useIsAdmin } from '@/layout/useEntity'
import '@/text/parts/review'
import { t } from '@/text/text'
import { ComboField } from '@/ui/choices'
import { ErrorBanner } from '@/ui/parts'

import type { LedgerOptions } from '@/invoices/ledger'
import type { Save } from './save'

interface Props {
  invoice: Invoice
  ledger: LedgerOptions
  readOnly: boolean
  save: Save
}

/** The account and the tax rate of all lines at once. */
export function Coding({ invoice, ledger, readOnly, save }: Props) {
  const isAdmin = useIsAdmin()
  const [error, setError] = useState<unknown>()
  if (!ledger.connected) {
    return (
      <p className="muted">
        {t('review.noLedger')} {isAdmin && <Link to="/integrations">{t('review.connectLedger')}</Link>}
      </p>
    )
  }
  const only = (values: (string | null)[]) => (new Set(values).size === 1 ? (values[0] ?? null) : null)
  const setAll = (part: 'account_id' | 'tax_rate_id', value: string) => {
    setError(undefined)
    save({ lines: invoice.lines.map((l) => ({ id: l.id, [part]: value })) }).catch(setError)
  }
  const account = only(invoice.lines.map((l) => l.account_id))
  const taxRate = only(invoice.lines.map((l) => l.tax_rate_id))
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
      {error !== undefined && <ErrorBanner error={error} />}
    </div>
  )
}
