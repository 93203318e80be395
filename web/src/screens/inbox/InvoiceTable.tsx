import type { InvoiceSummary } from '@docledger/client'
import { Link, useNavigate } from '@tanstack/react-router'
import { flexRender, getCoreRowModel, useReactTable, type RowSelectionState } from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef } from 'react'

import { useKeys } from '@/layout/useKeys'
import '@/text/parts/inbox'
import { t } from '@/text/text'

import { columnsOf } from './columns'
import type { InboxSearch } from './search'

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
}

const rowHeight = { wide: 36, narrow: 60 }

/** The list of invoices. It renders only the rows in view, so that its length does not matter. */
export function InvoiceTable(props: Props) {
  const { invoices, search, entityNames, showEntity, selection, onSelect, cursor, onCursor, hasMore, loadMore } = props
  const navigate = useNavigate()
  const scroller = useRef<HTMLDivElement>(null)
  const narrow = window.matchMedia('(max-width: 720px)').matches
  const columns = useMemo(() => columnsOf(entityNames, showEntity), [entityNames, showEntity])
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
    // The row may be rendered only after the scroll.
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-row="${index}"] a`)?.focus())
  }
  useKeys({
    j: () => move(cursor + 1),
    k: () => move(cursor - 1),
    arrowdown: () => move(cursor + 1),
    arrowup: () => move(cursor - 1),
    x: () => rows[cursor]?.toggleSelected(),
    enter: () => {
      const invoice = rows[cursor]?.original
      if (invoice) {
        void navigate({ to: '/invoices/$id', params: { id: invoice.id }, search })
      }
    },
  })
  const template = table.getVisibleLeafColumns().map((c) => (c.columnDef.meta as { width: string }).width).join(' ')

  return (
    <div className="invoice-table" role="table" aria-label={t('inbox.list')} aria-rowcount={hasMore ? -1 : rows.length + 1} ref={scroller}>
      <div role="rowgroup" className="head">
        {table.getHeaderGroups().map((group) => (
          <div key={group.id} role="row" className="line" style={{ gridTemplateColumns: template }}>
            {group.headers.map((header) => (
              <div key={header.id} role="columnheader" className={header.column.id}>{flexRender(header.column.columnDef.header, header.getContext())}</div>
            ))}
          </div>
        ))}
      </div>
      <div role="rowgroup" className="body" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const row = rows[item.index]!
          return (
            <div
              key={row.id}
              role="row"
              aria-rowindex={item.index + 2}
              aria-selected={row.getIsSelected()}
              data-row={item.index}
              data-cursor={item.index === cursor || undefined}
              className="line"
              style={{ gridTemplateColumns: template, height: item.size, transform: `translateY(${item.start}px)` }}
              onFocus={() => onCursor(item.index)}
            >
              {row.getVisibleCells().map((cell) => (
                <div key={cell.id} role="cell" className={cell.column.id}>
                  {flexRender(cell.column.columnDef.cell, cell.getContext())}
                  {cell.column.id === 'supplier' && (
                    <Link to="/invoices/$id" params={{ id: row.id }} search={search} className="cover" aria-label={nameOf(row.original)} tabIndex={item.index === cursor ? 0 : -1} />
                  )}
                </div>
              ))}
            </div>
          )
        })}
      </div>
    </div>
  )
}

const nameOf = (invoice: InvoiceSummary) =>
  `${invoice.seller?.name ?? t('inbox.withoutSupplier')}, ${invoice.invoice_number ?? t('inbox.withoutNumber')}`
