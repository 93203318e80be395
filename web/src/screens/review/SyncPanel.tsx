import type { Invoice } from '@docledger/client'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { formatTime } from '@/format/format'
import { useInvoiceActions } from '@/invoices/actions'
import '@/text/parts/review'
import { label, t } from '@/text/text'
import { Button } from '@/ui/Button'
import { Banner, ErrorBanner, Tag } from '@/ui/parts'

const running = new Set(['QUEUED', 'RUNNING', 'CHECKING'])

/** How far the bill of an invoice has come, and what a person can do if it failed. */
export function SyncPanel({ invoice, may }: { invoice: Invoice; may: boolean }) {
  const { sync } = invoice
  const actions = useInvoiceActions()
  const [error, setError] = useState<unknown>()
  if (!sync) {
    return null
  }
  const again = (options?: { link?: string; force?: boolean }) => {
    setError(undefined)
    actions.sync(invoice.id, options).catch(setError)
  }
  const details = [
    sync.attempts > 1 && t('review.sync.attempts', { count: sync.attempts }),
    sync.next_attempt_at && t('review.sync.next', { time: formatTime(sync.next_attempt_at) }),
    sync.attachment && t(`review.sync.attachment.${sync.attachment as 'ATTACHED'}`, { reason: sync.attachment_reason ?? '' }),
  ].filter(Boolean)
  return (
    <div className="stack">
      {sync.error && invoice.status !== 'SYNCED'
        ? (
          <Banner
            tone="red"
            title={sync.error.message}
            actions={may && (
              <>
                {sync.error.code === 'not_connected' || sync.error.code === 'reconnect_needed'
                  ? <Link to="/integrations" className="button small plain">{t('nav.integrations')}</Link>
                  : <Button small look="primary" onPress={() => again()}>{t('review.syncAgain')}</Button>}
              </>
            )}
          >
            {sync.error.action && <p>{sync.error.action}</p>}
            {may && sync.error.code === 'already_in_ledger' && (
              <div className="row wrap">
                {sync.error.candidates.map((c) => <Button key={c.id} small onPress={() => again({ link: c.id })}>{t('review.sync.link', { name: c.name })}</Button>)}
                <Button small onPress={() => again({ force: true })}>{t('review.sync.force')}</Button>
              </div>
            )}
          </Banner>
        )
        : <Tag tone={sync.state === 'DONE' ? 'green' : 'plain'} icon={running.has(sync.state) ? 'refresh' : undefined}>{label('review.sync', sync.state)}</Tag>}
      {details.length > 0 && <p className="muted">{details.join(' · ')}</p>}
      {sync.remote_url && (
        <a href={sync.remote_url} target="_blank" rel="noreferrer noopener">{t('review.sync.bill', { number: sync.remote_number ?? sync.remote_id ?? '' })}</a>
      )}
      {error !== undefined && <ErrorBanner error={error} />}
    </div>
  )
}
