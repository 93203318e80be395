import { type Invoice } from '@docledger/client'
import { useState } from 'react'

import { api } from '@/api/client'
import { useReachable } from '@/api/connection'
import { blockingRules, failedChecks, reasonOf } from '@/invoices/reasons'
import { download } from '@/invoices/download'
import '@/text/parts/documents'
import '@/text/parts/review'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { TextField } from '@/ui/fields'
import { Dialog, Menu, type MenuEntry } from '@/ui/overlays'
import { Tag } from '@/ui/parts'

import { isOpen } from './fields'

export interface Decisions {
  approve: (acknowledge: string[]) => void
  reject: (reason: string) => void
  reopen: () => void
  sync: () => void
  extractAgain: () => void
}

interface Props {
  invoice: Invoice
  decisions: Decisions
  may: { edit: boolean; approve: boolean }
  busy: boolean
  /** The decision is made, and the list of which the next invoice opens is not known yet. */
  opening: boolean
  rejecting: boolean
  onRejecting: (open: boolean) => void
  /** Asks whether the document is deleted; undefined without the right. */
  onDelete?: () => void
}

/** The decisions, always in view. Failed checks are named on the button that accepts them. */
export function Footer({ invoice, decisions, may, busy, opening, rejecting, onRejecting, onDelete }: Props) {
  const [reason, setReason] = useState('')
  const reachable = useReachable()
  const blocking = blockingRules(invoice.checks)
  const despite = failedChecks(invoice.checks).filter((c) => c.severity === 'BLOCKING').map(reasonOf)
  const syncing = invoice.sync !== null && invoice.sync.state !== 'DONE' && invoice.sync.state !== 'FAILED'
  const canReopen = may.approve && ['REJECTED', 'APPROVED', 'SYNC_FAILED'].includes(invoice.status)
  const entries: MenuEntry[] = [
    { id: 'download', label: t('review.original.download'), onAction: () => void download(() => api.getDocumentContent({ path: { document_id: invoice.document_id } })) },
    { id: 'reopen', label: t('review.reopen'), isDisabled: busy || !canReopen, onAction: decisions.reopen },
    { id: 'again', label: t('review.extractAgain'), isDisabled: busy || !may.edit || !isOpen(invoice), onAction: decisions.extractAgain },
    ...(onDelete ? [{ id: 'delete', label: t('documents.delete.menu'), danger: true, isDisabled: busy || invoice.status === 'APPROVED' || invoice.status === 'SYNCED', onAction: onDelete }] : []),
  ]
  return (
    <footer className="decisions">
      {isOpen(invoice) && may.approve && (
        <Button look="primary" isDisabled={busy} onPress={() => decisions.approve(blocking)}>
          {despite.length > 0 ? <span className="ellipsis">{t('review.approveDespite', { reasons: despite.join(', ') })}</span> : <>{t('review.approve')}<kbd>Ctrl ↵</kbd></>}
        </Button>
      )}
      {(invoice.status === 'APPROVED' || invoice.status === 'SYNC_FAILED') && may.approve && (
        <Button look="primary" isDisabled={busy || syncing} onPress={decisions.sync}>{t(invoice.status === 'APPROVED' ? 'review.sync' : 'review.syncAgain')}</Button>
      )}
      {invoice.status !== 'SYNCED' && invoice.status !== 'REJECTED' && may.edit && (
        <Button isDisabled={busy} onPress={() => onRejecting(true)}>{t('review.reject')}<kbd>R</kbd></Button>
      )}
      {invoice.status === 'REJECTED' && may.approve && <Button isDisabled={busy} onPress={decisions.reopen}>{t('review.reopen')}</Button>}
      <span className="grow" role="status">
        {(busy || opening) && !reachable
          ? <Tag tone="amber" icon="offline">{t('connection.waits')}</Tag>
          : opening && <Tag icon="clock">{t('review.opening')}</Tag>}
      </span>
      <Menu label={t('review.more')} entries={entries} trigger={<Button icon="more" label={t('review.more')} />} />
      <Dialog title={t('review.rejectTitle')} isOpen={rejecting} onClose={() => onRejecting(false)}>
        <form
          className="stack loose"
          onSubmit={(event) => { event.preventDefault(); decisions.reject(reason.trim()); setReason(''); onRejecting(false) }}
        >
          <TextField label={t('review.reason')} value={reason} onChange={setReason} maxLength={1000} autoFocus />
          <div className="actions">
            <Button onPress={() => onRejecting(false)}>{t('common.cancel')}</Button>
            <Button type="submit" look="primary" isDisabled={reason.trim() === ''}>{t('review.reject')}</Button>
          </div>
        </form>
      </Dialog>
    </footer>
  )
}
