import type { Duplicate, Invoice } from '@docledger/client'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { useInvoiceActions } from '@/invoices/actions'
import '@/text/parts/review'
import { label, t } from '@/text/text'
import { Button } from '@/ui/Button'
import { TextField } from '@/ui/fields'
import { Dialog } from '@/ui/overlays'
import { ErrorBanner, Section } from '@/ui/parts'

import { Compare } from './Compare'

/** The invoices that may be the same, each with its reason. A person can decide that two are different. */
export function Duplicates({ invoice, may }: { invoice: Invoice; may: boolean }) {
  const actions = useInvoiceActions()
  const [dismissing, setDismissing] = useState<string>()
  const [compared, compare] = useState<string>()
  const [reason, setReason] = useState('')
  const [error, setError] = useState<unknown>()
  const open = invoice.duplicates.filter((d) => d.dismissed === null)
  if (open.length === 0) {
    return null
  }
  const dismiss = (other: string) => {
    setError(undefined)
    actions.dismissDuplicate(invoice.id, other, reason.trim()).catch(setError)
    setReason('')
    setDismissing(undefined)
  }
  return (
    <Section title={t('review.section.duplicates')}>
      <ul className="stack" aria-label={t('review.section.duplicates')}>
        {open.map((d, i) => <Row key={d.invoice_id ?? i} duplicate={d} may={may} onDismiss={setDismissing} onCompare={compare} />)}
      </ul>
      {error !== undefined && <ErrorBanner error={error} />}
      <Dialog title={t('review.compare')} isOpen={compared !== undefined} onClose={() => compare(undefined)} wide>
        {compared && <Compare invoice={invoice} otherId={compared} />}
        {may && (
          <div className="actions">
            <Button onPress={() => { setDismissing(compared); compare(undefined) }}>{t('review.duplicate.dismiss')}</Button>
          </div>
        )}
      </Dialog>
      <Dialog title={t('review.duplicate.title')} isOpen={dismissing !== undefined} onClose={() => setDismissing(undefined)}>
        <form className="stack loose" onSubmit={(event) => { event.preventDefault(); if (dismissing) { dismiss(dismissing) } }}>
          <TextField label={t('review.reason')} value={reason} onChange={setReason} maxLength={1000} autoFocus />
          <div className="actions">
            <Button onPress={() => setDismissing(undefined)}>{t('common.cancel')}</Button>
            <Button type="submit" look="primary" isDisabled={reason.trim() === ''}>{t('review.duplicate.dismiss')}</Button>
          </div>
        </form>
      </Dialog>
    </Section>
  )
}

interface RowProps {
  duplicate: Duplicate
  may: boolean
  onDismiss: (other: string) => void
  onCompare: (other: string) => void
}

function Row({ duplicate, may, onDismiss, onCompare }: RowProps) {
  const { invoice_id: other } = duplicate
  return (
    <li className="row wrap">
      <span>{label('duplicate', duplicate.rule)}</span>
      {other === null
        ? <span className="muted">{t('review.duplicate.hidden')}</span>
        : (
          <>
            <Button small onPress={() => onCompare(other)}>{t('review.compare')}</Button>
            <Link to="/invoices/$id" params={{ id: other }} className="button small plain">{t('review.duplicate.open')}</Link>
            {may && <Button small onPress={() => onDismiss(other)}>{t('review.duplicate.dismiss')}</Button>}
          </>
        )}
    </li>
  )
}
