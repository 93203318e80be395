import type { Document } from '@docledger/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { api } from '@/api/client'
import { formatBytes, formatTime } from '@/format/format'
import { useEntity } from '@/layout/useEntity'
import '@/text/parts/documents'
import { label, t } from '@/text/text'
import { Button } from '@/ui/Button'
import { ShowMore } from '@/ui/ShowMore'
import { DataTable, type Column } from '@/ui/DataTable'
import { SelectField } from '@/ui/choices'
import { CheckField } from '@/ui/fields'
import { Empty, ErrorBanner, Page, Skeleton, Tag } from '@/ui/parts'
import { SearchInput } from '@/ui/SearchInput'
import { UploadButton } from '@/uploads/UploadButton'

import { DocumentActions } from './DocumentActions'
import { canMerge, MergeDialog } from './MergeDialog'
import { statuses, type DocumentsSearch, type Status } from './search'

const columns: Column<Document>[] = [
  { id: 'name', header: t('documents.file'), cell: (d) => <Link to="/documents/$id" params={{ id: d.id }}>{d.filename}</Link> },
  { id: 'state', header: t('documents.state'), cell: (d) => <DocumentState document={d} /> },
  { id: 'source', header: t('documents.source'), cell: (d) => label('documentSource', d.source) },
  { id: 'received', header: t('documents.received'), cell: (d) => formatTime(d.created_at) },
  { id: 'size', header: t('documents.size'), cell: (d) => formatBytes(d.size_bytes), kind: 'figure' },
  { id: 'actions', header: t('documents.actions'), cell: (d) => <DocumentActions document={d} />, kind: 'actions' },
]

const everything = 'ALL'

/** Every received file and what became of it. */
export function DocumentsScreen() {
  const { entityId } = useEntity()
  const { q, status } = useSearch({ from: '/shell/documents' })
  const navigate = useNavigate({ from: '/documents' })
  const filter = (part: DocumentsSearch) => void navigate({ search: (old: object) => ({ ...old, ...part }), replace: true })
  const [chosen, choose] = useState<readonly string[]>([])
  const [merging, merge] = useState(false)
  const list = useInfiniteQuery({
    queryKey: ['documents', 'list', entityId, q, status],
    queryFn: async ({ pageParam, signal }) =>
      (await api.listDocuments({ query: { limit: 100, ...(entityId ? { entity_id: entityId } : {}), ...(status ? { status: [status] } : {}), ...(q && q.length >= 2 ? { q } : {}), ...(pageParam ? { cursor: pageParam } : {}) }, signal })).data,
    initialPageParam: '',
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })
  const rows = list.data?.pages.flatMap((p) => p.items) ?? []
  // In the order in which they were chosen, which is that of the pages.
  const selected = chosen.flatMap((id) => rows.filter((d) => d.id === id))
  const select: Column<Document> = {
    id: 'select',
    header: t('merge.choose'),
    kind: 'actions',
    cell: (d) => canMerge(d) && (selected.length === 0 || selected[0]!.entity_id === d.entity_id)
      ? <CheckField bare label={t('merge.chooseFile', { file: d.filename })} isSelected={chosen.includes(d.id)} onChange={(on) => choose(on ? [...chosen, d.id] : chosen.filter((id) => id !== d.id))} />
      : null,
  }
  return (
    <Page
      title={t('nav.documents')}
      lead={t('documents.lead')}
      actions={
        <>
          {selected.length > 0 && <Button icon="document" onPress={() => merge(true)}>{t('merge.open', { count: selected.length })}</Button>}
          <UploadButton />
        </>
      }
    >
      <div className="row">
        <SearchInput label={t('documents.search')} value={q ?? ''} onChange={(typed) => filter({ q: typed || undefined })} />
        <SelectField
          bare
          label={t('documents.state')}
          options={[{ value: everything, label: t('documents.everyState') }, ...statuses.map((s) => ({ value: s as string, label: label('documentStatus', s) }))]}
          value={status ?? everything}
          onChange={(chosen) => filter({ status: chosen === everything ? undefined : chosen as Status })}
        />
      </div>
      {list.isError && <ErrorBanner error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending
        ? <Skeleton />
        : list.data && <DataTable label={t('nav.documents')} columns={[select, ...columns]} rows={rows} rowKey={(d) => d.id} empty={<Empty title={t(q || status ? 'documents.empty.filtered' : 'documents.empty')} />} />}
      {merging && <MergeDialog documents={selected} onClose={() => { merge(false); choose([]) }} />}
      <ShowMore list={list} count={rows.length} />
    </Page>
  )
}

export function DocumentState({ document }: { document: Document }) {
  if (document.held_reason) {
    return <Tag tone="amber">{label('held', document.held_reason)}</Tag>
  }
  const tone = document.status === 'FAILED' ? 'red' : document.status === 'EXTRACTED' ? 'green' : 'plain'
  return (
    <span>
      <Tag tone={tone} icon={document.status === 'PROCESSING' || document.status === 'UPLOADED' ? 'clock' : undefined}>{label('documentStatus', document.status)}</Tag>
      {document.failure && <span className="muted"> · {document.failure.message}</span>}
      {document.related_invoice_id && <> · <Link to="/invoices/$id" params={{ id: document.related_invoice_id }} search={{ tab: 'all' }}>{t('documents.relatedInvoice')}</Link></>}
    </span>
  )
}
