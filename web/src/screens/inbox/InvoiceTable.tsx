import type { InvoiceSummary } from '@docledger/client'
import { Link, useNavigate } from '@tanstack/react-router'
import { flexRender, getCoreRowModel, useReactTable, type Row, type RowSelectionState } from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useCallback, useEffect, useMemo, useRef, type ReactNode } from 'react'

import { usePeople } from '@/api/people'
import { useKeys } from '@/layout/useKeys'
import '@/text/parts/inbox'
import { t } from '@/text/text'
import { phone, tablet, useMedia } from '@/ui/useMedia'

import { columnsOf } from './columns'
import type { InboxSearch, SortKey } from './search'

interface Props {
  invoices: InvoiceSummary[]
  search: InboxSearch
  entityNames: Map<string, string>
  showEntity: boolean
  selection: RowSelectionState
  onSelect: (selection: RowSelectionState) => void
  cursor: number
  onCursor: (index: number) => void
  hasMore: boolean
  loadMore: () => void
  onSort: (sort: InboxSearch['sort']) => void
  onAssign: (invoice: InvoiceSummary) => void
  onNote: (invoice: InvoiceSummary) => void
}

interface Meta {
  width: string
  /** By what the column sorts. */
  sort?: SortKey
}

const rowHeight = { wide: 36, narrow: 60 }

/** The list of invoices. It renders only the rows in view, so that its length does not matter. */
export function InvoiceTable(props: Props) {
  const { invoices, search, entityNames, showEntity, selection, onSelect, cursor, onCursor, hasMore, loadMore, onSort, onAssign, onNote } = props
  const nameOf = usePeople()
  const navigate = useNavigate()
  const scroller = useRef<HTMLDivElement>(null)
  const narrow = useMedia(phone)
  const compact = useMedia(tablet)
  const columns = useMemo(() => columnsOf(entityNames, { showEntity, showAssignee: !compact }, nameOf), [entityNames, showEntity, compact, nameOf])
  const table = useReactTable({
    data: invoices,
    columns,
    getRowId: (invoice) => invoice.id,
    getCoreRowModel: getCoreRowModel(),
    state: { rowSelection: selection },
    onRowSelectionChange: (update) => onSelect(typeof update === 'function' ? update(selection) : update),
  })
  const rows = table.getRowModel().rows
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (narrow ? rowHeight.narrow : rowHeight.wide),
    overscan: 12,
  })
  useEffect(() => virtual.measure(), [virtual, narrow])
  const items = virtual.getVirtualItems()
  const lastShown = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && lastShown >= rows.length - 20) {
      loadMore()
    }
  }, [hasMore, lastShown, rows.length, loadMore])

  const move = (to: number) => {
    const index = Math.max(0, Math.min(rows.length - 1, to))
    onCursor(index)
    virtual.scrollToIndex(index)
    // At once, so that the next key goes to the row; a row out of view is rendered only after the scroll.
    const focusRow = () => {
      const link = scroller.current?.querySelector<HTMLElement>(`[data-row="${index}"] a`)
      link?.focus()
      return link
    }
    if (!focusRow()) {
      requestAnimationFrame(focusRow)
    }
  }
  useKeys({
    j: () => move(cursor + 1),
    k: () => move(cursor - 1),
    arrowdown: () => move(cursor + 1),
    arrowup: () => move(cursor - 1),
    x: () => rows[cursor]?.toggleSelected(),
    m: () => rows[cursor] && onAssign(rows[cursor].original),
    n: () => rows[cursor] && onNote(rows[cursor].original),
    enter: () => {
      const invoice = rows[cursor]?.original
      if (invoice) {
        void navigate({ to: '/invoices/$id', params: { id: invoice.id }, search })
      }
    },
  })
  // The line calls it when it gets the focus.
  const latest = useRef(onCursor)
  latest.current = onCursor
  const setCursor = useCallback((index: number) => latest.current(index), [])
  const template = table.getVisibleLeafColumns().map((c) => (c.columnDef.meta as Meta).width).join(' ')

  return (
    <div className="invoice-table" role="table" aria-label={t('inbox.list')} aria-rowcount={hasMore ? -1 : rows.length + 1} ref={scroller}>
      <div role="rowgroup" className="head">
        {table.getHeaderGroups().map((group) => (
          <div key={group.id} role="row" className="line" style={{ gridTemplateColumns: template }}>
            {group.headers.map((header) => (
              <Header key={header.id} id={header.column.id} by={(header.column.columnDef.meta as Meta).sort} sort={search.sort} onSort={onSort}>
                {flexRender(header.column.columnDef.header, header.getContext())}
              </Header>
            ))}
          </div>
        ))}
      </div>
      <div role="rowgroup" className="body" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const row = rows[item.index]!
          return (
            <Line
              key={row.id}
              row={row}
              columns={columns}
              index={item.index}
              selected={row.getIsSelected()}
              current={item.index === cursor}
              template={template}
              height={item.size}
              top={item.start}
              search={search}
              onCursor={setCursor}
            />
          )
        })}
      </div>
    </div>
  )
}

interface LineProps {
  row: Row<InvoiceSummary>
  /** The row stays the same when they change. */
  columns: unknown
  index: number
  selected: boolean
  current: boolean
  template: string
  height: number
  top: number
  search: InboxSearch
  onCursor: (index: number) => void
}

/** One invoice. A key that moves or selects renders only the lines that it changes. */
const Line = memo(function Line({ row, index, selected, current, template, height, top, search, onCursor }: LineProps) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      data-row={index}
      data-cursor={current || undefined}
      className="line"
      style={{ gridTemplateColumns: template, height, transform: `translateY(${top}px)` }}
      onFocus={() => onCursor(index)}
    >
      {row.getVisibleCells().map((cell) => (
        <div key={cell.id} role="cell" className={cell.column.id}>
          {flexRender(cell.column.columnDef.cell, cell.getContext())}
          {cell.column.id === 'supplier' && (
            <Link to="/invoices/$id" params={{ id: row.id }} search={search} className="cover" aria-label={titleOf(row.original)} tabIndex={current ? 0 : -1} />
          )}
        </div>
      ))}
    </div>
  )
})

interface HeaderProps {
  id: string
  by: SortKey | undefined
  sort: InboxSearch['sort']
  onSort: Props['onSort']
  children: ReactNode
}

/** The head of a column. One that sorts does so in turn descending, ascending and not. */
function Header({ id, by, sort, onSort, children }: HeaderProps) {
  if (!by) {
    return <div role="columnheader" className={id}>{children}</div>
  }
  const state = sort === by ? 'ascending' : sort === `-${by}` ? 'descending' : 'none'
  const next = state === 'none' ? `-${by}` as const : state === 'descending' ? by : undefined
  return (
    <div role="columnheader" className={id} aria-sort={state}>
      <button type="button" className="sort" onClick={() => onSort(next)}>
        {children}
        {state !== 'none' && <span aria-hidden="true">{state === 'ascending' ? '↑' : '↓'}</span>}
      </button>
    </div>
  )
}

const titleOf = (invoice: InvoiceSummary) =>
  `${invoice.seller?.name ?? t('inbox.withoutSupplier')}, ${invoice.invoice_number ?? t('inbox.withoutNumber')}`
