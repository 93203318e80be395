import './inbox.css'

import type { InvoiceSummary } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { RowSelectionState } from '@tanstack/react-table'
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react'

import { emailQuery } from '@/api/queries'
import { formatCount } from '@/format/format'
import { useInvoiceActions } from '@/invoices/actions'
import { AssignDialog } from '@/invoices/AssignDialog'
import { NoteDialog } from '@/invoices/NoteDialog'
import { NoEntity } from '@/layout/NoEntity'
import { useEntity } from '@/layout/useEntity'
import { useKeys } from '@/layout/useKeys'
import { PageDialog } from '@/pages/PageDialog'
import '@/text/parts/inbox'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { Icon } from '@/ui/Icon'
import { EmailAddress } from '@/ui/EmailAddress'
import { Empty, ErrorBanner, Skeleton } from '@/ui/parts'
import { restartQueues } from '@/screens/review/useQueue'
import { supplierQuery } from '@/screens/suppliers/queries'
import { UploadButton } from '@/uploads/UploadButton'

import { BulkBar } from './BulkBar'
import { DocumentsLine } from './DocumentsLine'
import { ExportDialog } from './ExportDialog'
import { Filters } from './Filters'
import { InvoiceTable } from './InvoiceTable'
import { useCounts, useInvoices, useSyncedToday } from './queries'
import { isFiltered, tabs, type InboxSearch, type Tab } from './search'

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
  const [assigning, setAssigning] = useState<InvoiceSummary[]>()
  const [noting, setNoting] = useState<InvoiceSummary>()
  const [exporting, setExporting] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const { assign } = useInvoiceActions()
  const supplier = useQuery({ ...supplierQuery(search.supplier ?? ''), enabled: search.supplier !== undefined })
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
        <Button icon="download" aria-label={t('export.button')} onPress={() => setExporting(true)}><span className="wide-only">{t('export.button')}</span></Button>
        <UploadButton />
      </header>
      <TabLinks current={tab} listed={!list.isPending} />
      {search.supplier && (
        <p className="documents-line">
          <span className="tag"><Icon name="supplier" />{t('inbox.filter.supplier', { name: supplier.data?.name ?? '…' })}</span>
          <Button small look="quiet" icon="close" label={t('common.remove')} onPress={() => change({ supplier: undefined })} />
        </p>
      )}
      <DocumentsLine entityId={entityId} />
      {selected.length > 0 && <BulkBar invoices={selected} onClear={() => setSelection({})} onDone={(ids) => setSelection((old) => Object.fromEntries(Object.entries(old).filter(([id]) => !ids.includes(id))))} onAssign={() => setAssigning(selected)} />}
      {failure !== undefined && <ErrorBanner error={failure} />}
      {list.isError && <ErrorBanner error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending
        ? <Skeleton rows={12} />
        : invoices.length === 0
          ? list.data && <EmptyInbox tab={tab} filtered={isFiltered(search)} />
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
              onSort={(sort) => change({ sort })}
              onAssign={(invoice) => setAssigning(selected.length > 0 ? selected : [invoice])}
              onNote={setNoting}
            />
          )}
      <AssignDialog
        isOpen={assigning !== undefined}
        entities={entities.filter((e) => assigning?.some((i) => i.entity_id === e.id))}
        current={assigning?.length === 1 ? assigning[0]!.assigned_to : undefined}
        onClose={() => setAssigning(undefined)}
        onAssign={(userId) => {
          setFailure(undefined)
          assign((assigning ?? []).map((i) => i.id), userId).then(() => setSelection({}), setFailure)
        }}
      />
      <ExportDialog search={search} isOpen={exporting} onClose={() => setExporting(false)} />
      {noting && <NoteDialog invoiceId={noting.id} number={noting.invoice_number ?? t('inbox.withoutNumber')} onClose={() => setNoting(undefined)} />}
      {preview && (
        <PageDialog title={t('inbox.preview', { number: preview.invoice_number ?? t('inbox.withoutNumber') })} documentId={preview.document_id} onClose={() => setPreview(null)} />
      )}
    </div>
  )
}

// A tab is marked below; the router would mark several, because it compares parts of the search.
const activeTab = { exact: true, includeSearch: true, explicitUndefined: true }

/** The tabs with their counts, which are read after the list. */
const TabLinks = memo(function TabLinks({ current, listed }: { current: Tab; listed: boolean }) {
  const counts = useCounts(useEntity().entityId, listed)
  const nav = useRef<HTMLElement>(null)
  const counted = counts !== undefined
  useEffect(() => {
    // On a phone not all tabs are in view. The counts change their widths.
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current, counted])
  return (
    <nav className="tabs" aria-label={t('inbox.tabs')} ref={nav}>
      {(Object.keys(tabs) as Tab[]).map((tab) => (
        <Link key={tab} from="/inbox" to="." search={(old: InboxSearch) => ({ ...old, tab: tab === 'check' ? undefined : tab })} replace activeOptions={activeTab} aria-current={tab === current ? 'page' : undefined}>
          {t(`inbox.tab.${tab}`)}
          {counts && <span className="count">{formatCount(counts[tab].count)}{counts[tab].more && '+'}</span>}
        </Link>
      ))}
    </nav>
  )
})

function EmptyInbox({ tab, filtered }: { tab: Tab; filtered: boolean }) {
  const { entityId, entities, none } = useEntity()
  const only = entityId ?? (entities.length === 1 ? entities[0]!.id : undefined)
  const address = useQuery({ ...emailQuery(only ?? ''), enabled: only !== undefined && !filtered }).data?.address
  const synced = useSyncedToday(entityId, tab === 'check' && !filtered)
  if (none && !filtered) {
    return <NoEntity />
  }
  return (
    <Empty title={t(filtered ? 'inbox.empty.filtered' : `inbox.empty.${tab}`)}>
      {!filtered && synced !== undefined && synced > 0 && <p>{t('inbox.empty.syncedToday', { count: synced })}</p>}
      {!filtered && (tab === 'check' || tab === 'all') && (
        <div className="drop-zone">
          <p>{t('inbox.empty.drop')}</p>
          <UploadButton />
          {address && (
            <>
              <p>{t('inbox.empty.email')}</p>
              <EmailAddress address={address} />
            </>
          )}
        </div>
      )}
    </Empty>
  )
}
