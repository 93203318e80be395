import type { ReactNode } from 'react'

export interface Column<Row> {
  id: string
  header: string
  cell: (row: Row) => ReactNode
  /** Figures are right-aligned; actions have no visible header. */
  kind?: 'figure' | 'actions'
}

interface Props<Row> {
  label: string
  columns: Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
  empty?: ReactNode
}

/** A plain table of few rows; on a phone each row is a card. Long lists use the virtual table of the inbox. */
export function DataTable<Row>({ label, columns, rows, rowKey, empty }: Props<Row>) {
  if (rows.length === 0 && empty) {
    return <div className="panel">{empty}</div>
  }
  return (
    <div className="panel table-scroll" tabIndex={-1}>
      <table className="table cards" aria-label={label}>
        <thead>
          <tr>
            {columns.map((c) => (
              <th key={c.id} scope="col" className={c.kind}>
                {c.kind === 'actions' ? <span className="visually-hidden">{c.header}</span> : c.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((c) => (
                <td key={c.id} className={c.kind} data-label={c.kind === 'actions' ? undefined : c.header}>{c.cell(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
