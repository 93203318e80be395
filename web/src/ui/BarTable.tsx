import './bar-table.css'

export interface Bar {
  id: string
  label: string
  /** The length of the bar; a negative value has none. */
  size: number
  /** The value as a person reads it. */
  value: string
  detail?: string
}

interface Props {
  label: string
  columns: { label: string; value: string; detail?: string }
  rows: Bar[]
}

/** A bar chart that is its own table: each row has its name, its bar and its value. */
export function BarTable({ label, columns, rows }: Props) {
  const most = Math.max(...rows.map((r) => r.size), 0)
  return (
    <div className="panel">
      <table className="bar-table" aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{columns.label}</th>
            {columns.detail && <th scope="col" className="detail">{columns.detail}</th>}
            <td className="bar" />
            <th scope="col" className="figure">{columns.value}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((r) => (
            <tr key={r.id}>
              <th scope="row"><span className="ellipsis">{r.label}</span></th>
              {columns.detail && <td className="detail muted">{r.detail}</td>}
              <td className="bar" aria-hidden="true">
                <svg width="100%" height="12" preserveAspectRatio="none" viewBox="0 0 100 1"><rect width={most > 0 ? Math.max(0, (100 * r.size) / most) : 0} height="1" /></svg>
              </td>
              <td className="figure">{r.value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
