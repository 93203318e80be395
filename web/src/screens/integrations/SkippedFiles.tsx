import type { SkippedFile } from '@docledger/client'
import { useInfiniteQuery } from '@tanstack/react-query'

import { api } from '@/api/client'
import { formatTime } from '@/format/format'
import '@/text/parts/integrations'
import { label, t } from '@/text/text'
import { ShowMore } from '@/ui/ShowMore'
import { DataTable, type Column } from '@/ui/DataTable'
import { Empty, ErrorBanner, Section, Skeleton, Tag } from '@/ui/parts'

const pageSize = 50

/** Files that are no invoices of a person. */
const harmless = new Set(['temporary', 'linked'])

const columns: Column<SkippedFile>[] = [
  { id: 'path', header: t('integration.skipped.path'), cell: (f) => <span className="breakable">{f.path}</span> },
  { id: 'reason', header: t('integration.skipped.reason'), cell: (f) => <Tag tone={harmless.has(f.reason) ? 'plain' : 'amber'}>{label('integration.skippedReason', f.reason)}</Tag> },
  { id: 'at', header: t('integration.skipped.at'), cell: (f) => formatTime(f.at) },
]

/** The files of a watched location that are not taken, with the reason of each. */
export function SkippedFiles({ integrationId }: { integrationId: string }) {
  const list = useInfiniteQuery({
    queryKey: ['integration', integrationId, 'skipped'],
    queryFn: async ({ pageParam, signal }) =>
      (await api.listSkippedFiles({ path: { integrationId }, query: { limit: pageSize, ...(pageParam ? { cursor: pageParam } : {}) }, signal })).data,
    initialPageParam: '',
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })
  const files = list.data?.pages.flatMap((p) => p.items)
  return (
    <Section title={t('integration.skipped')}>
      {list.error && <ErrorBanner error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton rows={2} />}
      {files && <DataTable label={t('integration.skipped')} columns={columns} rows={files} rowKey={(f) => `${f.path} ${f.at}`} empty={<Empty title={t('integration.skipped.empty')} />} />}
      <ShowMore list={list} count={files?.length ?? 0} />
    </Section>
  )
}
