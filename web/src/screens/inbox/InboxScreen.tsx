import './inbox.css'

import type { InvoiceSummary } from '@docledger/client'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { RowSelectionState } from '@tanstack/react-table'
import { useCallback, useEffect, useMemo, useState } from 'react'

import { formatCount } from '@/format/format'
import { useEntity } from '@/layout/useEntity'
import { useKeys } from '@/layout/useKeys'
import { PageDialog } from '@/pages/PageDialog'
import '@/text/parts/inbox'
import { t } from '@/text/text'
import { Empty, ErrorBanner, Skeleton } from '@/ui/parts'
import { restartQueues } from '@/screens/review/useQueue'
import { UploadButton } from '@/uploads/UploadButton'

import { BulkBar } from './BulkBar'
import { DocumentsLine } from './DocumentsLine'
import { Filters } from './Filters'
import { InvoiceTable } from './InvoiceTable'
import { useCounts, useInvoices, useSyncedToday } from './queries'
import { tabs, type InboxSearch, type Tab } from './search'

export function InboxScreen() {
  const search = useSearch({ from: '/shell/inbox' })
  const tab = search.tab ?? 'check'
  const navigate = useNavigate({ from: '/inbox' })
  const { entities, entityId, several } = useEntity()
  const list = useInvoices(search)
  const { invoices, hasNextPage, isFetchingNextPage, fetchNextPage } = list
  const [selection, setSelection] = useState<RowSelectionState>({})
  const [cursor, setCursor] = useState(0)
  const [preview, setPreview] = useState<InvoiceSummary | null>(null)
  const names = useMemo(() => new Map(entities.map((e) => [e.id, e.name])), [entities])
  const selected = useMemo(() => invoices.filter((i) => selection[i.id]), [invoices, selection])

  const change = useCallback(
    (part: Partial<InboxSearch>) => {
      setSelection({})
      setCursor(0)
      void navigate({ search: (old: InboxSearch) => ({ ...old, ...part }), replace: true })
    },
    [navigate],
  )
  const loadMore = useCallback(() => {
    if (!isFetchingNextPage) {
      void fetchNextPage()
    }
  }, [isFetchingNextPage, fetchNextPage])
  useEffect(restartQueues, [])
  useKeys({ ' ': () => setPreview(preview ? null : (invoices[cursor] ?? null)) })

  return (
    <div className="inbox">
      <header className="inbox-head">
        <h1>{t('inbox.title')}</h1>
        <Filters search={search} onChange={change} />
        <UploadButton />
      </header>
      <TabLinks current={tab} />
      <DocumentsLine entityId={entityId} />
      {selected.length > 0 && <BulkBar invoices={selected} onClear={() => setSelection({})} />}
      {list.isError && <ErrorBanner error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending
        ? <Skeleton rows={12} />
        : invoices.length === 0
          ? <EmptyInbox tab={tab} filtered={Boolean(search.q || search.due_from || search.due_to || search.issued_from || search.issued_to)} />
          : (
            <InvoiceTable
              invoices={invoices}
              search={search}
              entityNames={names}
              showEntity={several && !entityId}
              selection={selection}
              onSelect={setSelection}
              cursor={Math.min(cursor, invoices.length - 1)}
              onCursor={setCursor}
              hasMore={hasNextPage}
              loadMore={loadMore}
            />
          )}
      {preview && (
        <PageDialog title={t('inbox.preview', { number: preview.invoice_number ?? t('inbox.withoutNumber') })} documentId={preview.document_id} onClose={() => setPreview(null)} />
      )}
    </div>
  )
}

// A tab is marked below; the router would mark several, because it compares parts of the search.
const activeTab = { exact: true, includeSearch: true, explicitUndefined: true }

function TabLinks({ current }: { current: Tab }) {
  const counts = useCounts(useEntity().entityId)
  return (
    <nav className="tabs" aria-label={t('inbox.tabs')}>
      {(Object.keys(tabs) as Tab[]).map((tab) => (
        <Link key={tab} from="/inbox" to="." search={(old: InboxSearch) => ({ ...old, tab: tab === 'check' ? undefined : tab })} replace activeOptions={activeTab} aria-current={tab === current ? 'page' : undefined}>
          {t(`inbox.tab.${tab}`)}
          {counts && <span className="count">{formatCount(counts[tab].count)}{counts[tab].more && '+'}</span>}
        </Link>
      ))}
    </nav>
  )
}

function EmptyInbox({ tab, filtered }: { tab: Tab; filtered: boolean }) {
  const synced = useSyncedToday(useEntity().entityId, tab === 'check' && !filtered)
  return (
    <Empty title={t(filtered ? 'inbox.empty.filtered' : `inbox.empty.${tab}`)}>
      {!filtered && synced !== undefined && synced > 0 && <p>{t('inbox.empty.syncedToday', { count: synced })}</p>}
      {!filtered && (tab === 'check' || tab === 'all') && (
        <div className="drop-zone">
          <p>{t('inbox.empty.drop')}</p>
          <UploadButton />
        </div>
      )}
    </Empty>
  )
}
