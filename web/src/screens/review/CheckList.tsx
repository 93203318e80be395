import type { Check, Invoice } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { api } from '@/api/client'
import { formatMoney } from '@/format/format'
import type { Save } from '@/invoices/edits'
import { failedChecks, fieldName, reasonOf } from '@/invoices/reasons'
import '@/text/parts/review'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/overlays'
import { ErrorBanner, Skeleton, Tag } from '@/ui/parts'

import { BankAccountCheck } from './BankAccountCheck'
import { order, patchOf, valueAt } from './fields'

interface Props {
  invoice: Invoice
  readOnly: boolean
  mayApprove: boolean
  save: Save
  onGoTo: (path: string) => void
}

/** The totals that a failed sum can set. */
const sumFields: Record<string, string> = { tax_sum: 'tax_total', gross_sum: 'gross_total', due_sum: 'amount_due', lines_sum: 'net_total' }

/** Rules of which a text says what was found: the list of duplicates, and the value that was read. A confidence is no value. */
const inWords = ['not_a_duplicate', 'confidence_sufficient']

const decimal = /^-?\d+(\.\d+)?$/

/** What a person should look at, each with what was found and what fixes it. */
export function CheckList({ invoice, readOnly, mayApprove, save, onGoTo }: Props) {
  const failed = failedChecks(invoice.checks)
  if (failed.length === 0) {
    return null
  }
  return (
    <ul className="checks">
      {failed.map((check, i) => <CheckRow key={`${check.rule}-${i}`} {...{ check, invoice, readOnly, mayApprove, save, onGoTo }} />)}
    </ul>
  )
}

function CheckRow({ check, invoice, readOnly, mayApprove, save, onGoTo }: Props & { check: Check }) {
  const [rules, showRules] = useState(false)
  const blocking = check.severity === 'BLOCKING'
  const sumField = sumFields[check.rule]
  const path = check.field ?? sumField
  const alternatives = check.field ? (invoice.fields[check.field]?.alternatives ?? []).filter((a) => a !== valueAt(invoice, check.field!)) : []
  const use = (target: string, value: string) =>
    void save({ key: target, label: fieldName(target), patch: patchOf(target, value), value })
  const account = check.rule === 'bank_account_known' && check.found !== null && invoice.supplier_id !== null ? { iban: check.found, supplierId: invoice.supplier_id } : undefined
  const uncertain = check.rule === 'confidence_sufficient' && check.field !== null && valueAt(invoice, check.field) !== null
  const known = path !== undefined && order.includes(path)
  return (
    <li className={blocking ? 'check-row red' : 'check-row amber'}>
      <div className="row wrap">
        <Tag tone={blocking ? 'red' : 'amber'}><strong>{reasonOf(check)}</strong></Tag>
        <span className="muted">{blocking ? t('review.check.blocking') : t('review.check.warning')}</span>
      </div>
      {account && <BankAccountCheck invoice={invoice} supplierId={account.supplierId} iban={account.iban} may={mayApprove} />}
      {uncertain && <p>{t('review.check.uncertain', { value: shown(valueAt(invoice, check.field!)) })}</p>}
      {!account && !inWords.includes(check.rule) && (check.found !== null || check.expected !== null) && (
        <dl className="compare">
          <div><dt>{t('review.check.found')}</dt><dd>{shown(check.found)}</dd></div>
          {check.expected !== null && <div><dt>{t('review.check.expected')}</dt><dd>{shown(check.expected)}</dd></div>}
        </dl>
      )}
      {!readOnly && (
        <div className="row wrap">
          {alternatives.slice(0, 3).map((a) => <Button key={a} small onPress={() => use(check.field!, a)}>{t('review.check.use', { value: shown(a) })}</Button>)}
          {sumField && check.expected && decimal.test(check.expected) && (
            <Button small onPress={() => use(sumField, check.expected!)}>{t('review.check.use', { value: shown(check.expected) })}</Button>
          )}
          {known && <Button small look="quiet" icon="arrow" onPress={() => onGoTo(path)}>{t('review.check.goTo')}</Button>}
          {check.rule === 'einvoice_rules' && <Button small onPress={() => showRules(true)}>{t('review.check.rules')}</Button>}
        </div>
      )}
      <Dialog title={t('review.rules.title')} isOpen={rules} onClose={() => showRules(false)} wide>
        <Findings invoiceId={invoice.id} />
      </Dialog>
    </li>
  )
}

const shown = (value: string | null): string => (value === null ? '–' : decimal.test(value) ? formatMoney(value) : value)

function Findings({ invoiceId }: { invoiceId: string }) {
  const { data, error } = useQuery({
    queryKey: ['validation', invoiceId],
    queryFn: async ({ signal }) => (await api.getInvoiceValidation({ path: { invoice_id: invoiceId }, signal })).data,
  })
  if (error) {
    return <ErrorBanner error={error} />
  }
  if (!data) {
    return <Skeleton />
  }
  return (
    <ul className="stack">
      {data.findings.map((f) => (
        <li key={f.profile + f.rule}>
          <Tag tone={f.severity === 'FATAL' ? 'red' : 'amber'}><strong>{f.rule}</strong></Tag> {f.message}
        </li>
      ))}
    </ul>
  )
}
