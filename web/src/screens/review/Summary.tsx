import type { Invoice } from '@docledger/client'
import { Link } from '@tanstack/react-router'

import { usePeople } from '@/api/people'
import { formatDate, formatMoney } from '@/format/format'
import { failedChecks } from '@/invoices/reasons'
import '@/text/parts/inbox'
import '@/text/parts/review'
import { label, t } from '@/text/text'
import { Button } from '@/ui/Button'
import { Icon } from '@/ui/Icon'
import { Tag } from '@/ui/parts'
import type { InboxSearch } from '@/screens/inbox/search'

import { isOpen } from './fields'
import type { Queue } from './useQueue'

interface Props {
  invoice: Invoice
  queue: Queue
  search: InboxSearch
  onOpen: (id: string) => void
  /** Opens the choice of a person; undefined without the right to it. */
  onAssign?: () => void
}

/** The head of the review: whose invoice, how much, when, and whether it is ready. */
export function Summary({ invoice, queue, search, onOpen, onAssign }: Props) {
  const nameOf = usePeople()
  return (
    <header className="summary">
      <div className="row">
        <Link to="/inbox" search={search} className="button quiet small icon" aria-label={t('review.back')}><Icon name="back" /></Link>
        {queue.position !== undefined && (
          <span className="muted tabular nowrap">{t('review.position', { position: queue.position, total: `${queue.total}${queue.more ? '+' : ''}` })}</span>
        )}
        <Button small look="quiet" isDisabled={!queue.previous} onPress={() => onOpen(queue.previous!)} aria-label={t('review.previous')} icon="up"><kbd>K</kbd></Button>
        <Button small look="quiet" isDisabled={!queue.next} onPress={() => onOpen(queue.next!)} aria-label={t('review.next')} icon="chevron"><kbd>J</kbd></Button>
        <span className="grow" />
        {onAssign && (
          <Button small look="quiet" icon="user" onPress={onAssign} aria-label={invoice.assigned_to === null ? undefined : t('review.assigned', { name: nameOf(invoice.assigned_to) })}>
            {invoice.assigned_to === null ? t('review.assign') : nameOf(invoice.assigned_to)}
          </Button>
        )}
        <Verdict invoice={invoice} />
      </div>
      <div className="row summary-main">
        <h1 className="ellipsis grow">
          {invoice.supplier_id === null
            ? (invoice.seller?.name ?? t('inbox.withoutSupplier'))
            : <Link to="/suppliers/$id" params={{ id: invoice.supplier_id }} className="plain-link">{invoice.seller?.name ?? t('inbox.withoutSupplier')}</Link>}
        </h1>
        <div className="summary-facts">
          <span className="muted">{invoice.due_date ? t('review.due', { date: formatDate(invoice.due_date) }) : t('review.noDue')}</span>
          <strong className="figure">{formatMoney(invoice.gross_total)} {invoice.currency}</strong>
        </div>
      </div>
      {invoice.rejection?.reason && <p className="muted">{t('review.rejectedBecause', { reason: invoice.rejection.reason })}</p>}
    </header>
  )
}

function Verdict({ invoice }: { invoice: Invoice }) {
  if (!isOpen(invoice)) {
    const tone = invoice.status === 'SYNC_FAILED' ? 'red' : invoice.status === 'REJECTED' ? 'plain' : 'green'
    return <Tag tone={tone}>{label('status', invoice.status)}</Tag>
  }
  const failed = failedChecks(invoice.checks)
  if (failed.length === 0) {
    return <Tag tone="green">{t('review.ready')}</Tag>
  }
  return <Tag tone={failed[0]!.severity === 'BLOCKING' ? 'red' : 'amber'}>{t('review.things', { count: failed.length })}</Tag>
}
