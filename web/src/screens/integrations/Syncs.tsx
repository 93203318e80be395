import type { Invoice } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { api } from '@/api/client'
import { formatTime } from '@/format/format'
import '@/text/parts/inbox'
import '@/text/parts/integrations'
import '@/text/parts/review'
import { label, t } from '@/text/text'
import { DataTable, type Column } from '@/ui/DataTable'
import { Empty, ErrorBanner, Section, Skeleton, Tag } from '@/ui/parts'

const most = 20

const columns: Column<Invoice>[] = [
  {
    id: 'invoice',
    header: t('integration.syncs.invoice'),
    cell: (i) => <Link to="/invoices/$id" params={{ id: i.id }} search={{ tab: 'all' }}>{i.seller?.name ?? t('inbox.withoutSupplier')} {i.invoice_number}</Link>,
  },
  {
    id: 'state',
    header: t('integration.syncs.state'),
    cell: (i) => (i.sync?.error ? <Tag tone="red">{i.sync.error.message}</Tag> : <Tag icon="refresh">{label('review.sync', i.sync?.state ?? 'QUEUED')}</Tag>),
  },
  { id: 'attempts', header: t('integration.syncs.attempts'), kind: 'figure', cell: (i) => i.sync?.attempts ?? 0 },
  { id: 'next', header: t('integration.syncs.next'), cell: (i) => formatTime(i.sync?.next_attempt_at) },
  { id: 'bill', header: t('integration.syncs.bill'), cell: (i) => i.sync?.remote_url && <a href={i.sync.remote_url} target="_blank" rel="noreferrer noopener">{i.sync.remote_number ?? i.sync.remote_id}</a> },
]

/** The invoices with a pending or failed sync, with retries and reasons. */
export function Syncs({ entityId }: { entityId: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['invoices', 'syncs', entityId],
    queryFn: async ({ signal }) => {
      const found = await api.listInvoices({ query: { entity_id: entityId, status: ['APPROVED', 'SYNC_FAILED'], limit: most }, signal })
      const started = found.data.items.filter((i) => i.sync_state !== null)
      return Promise.all(started.map(async (i) => (await api.getInvoice({ path: { invoice_id: i.id }, signal })).data))
    },
  })
  return (
    <Section title={t('integration.syncs')} lead={t('integration.syncs.lead')}>
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={2} />}
      {data && <DataTable label={t('integration.syncs')} columns={columns} rows={data} rowKey={(i) => i.id} empty={<Empty title={t('integration.syncs.empty')} />} />}
    </Section>
  )
}
