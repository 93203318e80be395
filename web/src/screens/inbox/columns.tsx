import type { InvoiceSummary } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { createColumnHelper, type ColumnDef } from '@tanstack/react-table'

import { invoiceQuery } from '@/api/queries'
import { formatDate, formatMoney, formatShortDate, today } from '@/format/format'
import { reasonLine } from '@/invoices/reasons'
import '@/text/parts/inbox'
import { label, t } from '@/text/text'
import { CheckField } from '@/ui/fields'
import { Icon } from '@/ui/Icon'
import { Tag, type Tone } from '@/ui/parts'

const column = createColumnHelper<InvoiceSummary>()

const tones: Record<string, Tone> = { NEEDS_REVIEW: 'amber', EXTRACTED: 'green', APPROVED: 'green', SYNCED: 'green', SYNC_FAILED: 'red', REJECTED: 'plain' }
const open = new Set(['EXTRACTED', 'NEEDS_REVIEW', 'APPROVED', 'SYNC_FAILED'])

interface Shown {
  showEntity: boolean
  showAssignee: boolean
}

export function columnsOf(entityNames: Map<string, string>, { showEntity, showAssignee }: Shown, nameOf: (id: string | null) => string): ColumnDef<InvoiceSummary, never>[] {
  return [
    column.display({
      id: 'select',
      header: ({ table }) => (
        <CheckField
          bare
          label={t('inbox.column.selectAll')}
          isSelected={table.getIsAllRowsSelected()}
          isIndeterminate={table.getIsSomeRowsSelected()}
          onChange={(on) => table.toggleAllRowsSelected(on)}
        />
      ),
      cell: ({ row }) => (
        <CheckField
          bare
          label={t('inbox.column.selectOne', {
            number: row.original.invoice_number ?? t('inbox.withoutNumber'),
            supplier: row.original.seller?.name ?? t('inbox.withoutSupplier'),
          })}
          isSelected={row.getIsSelected()}
          onChange={(on) => row.toggleSelected(on)}
        />
      ),
      meta: { width: '30px' },
    }),
    column.display({
      id: 'supplier',
      header: t('inbox.column.supplier'),
      cell: ({ row }) => <span className="ellipsis">{row.original.seller?.name ?? <span className="muted">{t('inbox.withoutSupplier')}</span>}</span>,
      meta: { width: 'minmax(134px, 1.9fr)' },
    }),
    column.display({
      id: 'number',
      header: t('inbox.column.number'),
      cell: ({ row }) => (
        <span className="ellipsis">
          {row.original.invoice_number ?? <span className="muted">{t('inbox.withoutNumber')}</span>}
          {row.original.document_type === 'CREDIT_NOTE' && <span className="muted"> · {t('inbox.creditNote')}</span>}
        </span>
      ),
      meta: { width: 'minmax(76px, .9fr)' },
    }),
    column.display({ id: 'issued', header: t('inbox.column.issued'), cell: ({ row }) => formatShortDate(row.original.issue_date), meta: { width: '96px', sort: 'issue_date' } }),
    column.display({ id: 'due', header: t('inbox.column.due'), cell: ({ row }) => <Due invoice={row.original} />, meta: { width: '120px', sort: 'due_date' } }),
    column.display({
      id: 'gross',
      header: t('inbox.column.gross'),
      cell: ({ row }) => (
        <span className="figure">
          {formatMoney(row.original.gross_total)} <span className="muted">{row.original.currency}</span>
        </span>
      ),
      meta: { width: 'minmax(116px, max-content)', sort: 'gross_total' },
    }),
    column.display({ id: 'reason', header: t('inbox.column.reason'), cell: ({ row }) => <State invoice={row.original} />, meta: { width: 'minmax(140px, 2fr)' } }),
    ...(showAssignee
      ? [column.display({
          id: 'assignee',
          header: t('inbox.column.assignee'),
          cell: ({ row: { original: { assigned_to: id } } }) => id !== null && <span className="ellipsis muted">{nameOf(id)}</span>,
          meta: { width: 'minmax(60px, .5fr)' },
        })]
      : []),
    ...(showEntity
      ? [column.display({
          id: 'entity',
          header: t('inbox.column.entity'),
          cell: ({ row }) => <span className="ellipsis muted">{entityNames.get(row.original.entity_id)}</span>,
          meta: { width: 'minmax(72px, 1.3fr)' },
        })]
      : []),
  ] as ColumnDef<InvoiceSummary, never>[]
}

function Due({ invoice }: { invoice: InvoiceSummary }) {
  const overdue = invoice.due_date !== null && invoice.due_date < today() && open.has(invoice.status) && invoice.document_type === 'INVOICE'
  if (!overdue) {
    return formatShortDate(invoice.due_date)
  }
  return (
    <span className="tag red" title={t('inbox.overdue', { date: formatDate(invoice.due_date) })}>
      <Icon name="clock" />
      <span className="visually-hidden">{t('inbox.overdue', { date: '' })}</span>
      {formatShortDate(invoice.due_date)}
    </span>
  )
}

/** The state of an invoice; for one that needs a person, what is wrong. */
function State({ invoice }: { invoice: InvoiceSummary }) {
  const failed = invoice.checks_failed.blocking + invoice.checks_failed.warning > 0
  const needsReason = invoice.status === 'SYNC_FAILED' || (failed && (invoice.status === 'NEEDS_REVIEW' || invoice.status === 'EXTRACTED'))
  const detail = useQuery({ ...invoiceQuery(invoice.id), enabled: needsReason, staleTime: 60_000 }).data
  const tone = tones[invoice.status] ?? 'plain'
  if (!needsReason || !detail) {
    const syncing = invoice.status === 'APPROVED' && (invoice.sync_state === 'QUEUED' || invoice.sync_state === 'RUNNING' || invoice.sync_state === 'CHECKING')
    return <Tag tone={syncing ? 'plain' : tone} icon={syncing ? 'refresh' : invoice.status === 'REJECTED' ? 'close' : undefined}>{syncing ? t('inbox.syncing') : label('status', invoice.status)}</Tag>
  }
  const text = invoice.status === 'SYNC_FAILED' ? (detail.sync?.error?.message ?? label('status', invoice.status)) : reasonLine(detail.checks)
  return <Tag tone={invoice.status === 'EXTRACTED' ? 'amber' : tone}>{text}</Tag>
}
