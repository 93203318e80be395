import type { Invoice, InvoiceLine, InvoiceLinePatch } from '@docledger/client'
import { useState, type ClipboardEvent, type KeyboardEvent } from 'react'

import { formatDecimal, formatMoney, parseDecimal } from '@/format/format'
import '@/text/parts/review'
import { t, type MessageKey } from '@/text/text'
import { Button } from '@/ui/Button'
import { ErrorBanner } from '@/ui/parts'

import { LineCoding } from './LineCoding'
import type { LedgerOptions } from '@/invoices/ledger'
import type { Save } from './save'

interface Props {
  invoice: Invoice
  ledger: LedgerOptions
  readOnly: boolean
  save: Save
}

const columns = ['description', 'quantity', 'unit', 'unit_price', 'tax_rate', 'net_amount'] as const
type Column = (typeof columns)[number]
const numeric = new Set<Column>(['quantity', 'unit_price', 'tax_rate', 'net_amount'])

/** The lines, folded while they are alike, and edited like a small spreadsheet. */
export function Lines({ invoice, ledger, readOnly, save }: Props) {
  const alike = new Set(invoice.lines.map((l) => l.account_id)).size <= 1
  const [open, setOpen] = useState(!alike)
  const [error, setError] = useState<unknown>()
  const change = (lines: InvoiceLinePatch[]) => {
    setError(undefined)
    save({ lines }).catch(setError)
  }
  return (
    <div className="stack">
      <div className="row">
        <span className="grow">{t('line.alike', { count: invoice.lines_total, account: accountText(invoice, ledger, alike) })}</span>
        <Button small onPress={() => setOpen(!open)} aria-expanded={open}>{open ? t('line.hide') : t('line.show')}</Button>
      </div>
      {error !== undefined && <ErrorBanner error={error} />}
      {open && (
        <>
          <div className="panel table-scroll lines" role="region" tabIndex={0} aria-label={t('review.section.lines')}>
            <table className="table">
              <thead>
                <tr>
                  {columns.map((c) => <th key={c} scope="col" className={numeric.has(c) ? 'figure' : undefined}>{t(`line.${c}`)}</th>)}
                  {ledger.connected && <th scope="col">{t('line.account')}</th>}
                  {!readOnly && <th scope="col"><span className="visually-hidden">{t('common.remove')}</span></th>}
                </tr>
              </thead>
              <tbody>
                {invoice.lines.map((line, row) => (
                  <tr key={line.id}>
                    {columns.map((c) => (
                      <td key={c}>
                        <Cell line={line} column={c} row={row} readOnly={readOnly} onChange={(value) => change([{ id: line.id, [c]: value }])} onPaste={(grid) => change(pasted(invoice.lines, row, columns.indexOf(c), grid))} />
                      </td>
                    ))}
                    {ledger.connected && (
                      <td><LineCoding line={line} ledger={ledger} readOnly={readOnly} onChange={(account_id) => change([{ id: line.id, account_id }])} /></td>
                    )}
                    {!readOnly && (
                      <td className="actions">
                        <Button small look="quiet" icon="close" label={t('line.remove', { position: line.position })} onPress={() => change([{ id: line.id, deleted: true }])} />
                      </td>
                    )}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {invoice.lines_total > invoice.lines.length && <p className="muted">{t('line.others', { count: invoice.lines_total - invoice.lines.length })}</p>}
          {!readOnly && (
            <div className="row">
              <Button small icon="plus" onPress={() => change([{ description: null }])}>{t('line.add')}</Button>
              <span className="muted">{t('line.pasteHint')}</span>
            </div>
          )}
        </>
      )}
    </div>
  )
}

function accountText(invoice: Invoice, ledger: LedgerOptions, alike: boolean): string {
  if (!alike) {
    return t('line.manyAccounts')
  }
  const id = invoice.lines[0]?.account_id ?? null
  return id === null ? t('line.noAccount') : (ledger.accountName(id) ?? t('line.oneAccount'))
}

/** The changes of lines for cells pasted at a place; rows beyond the last line become new lines. */
export function pasted(lines: readonly InvoiceLine[], row: number, column: number, grid: string[][]): InvoiceLinePatch[] {
  return grid.map((cells, down): InvoiceLinePatch => {
    const line = lines[row + down]
    const values = cells.slice(0, columns.length - column).map((text, right): [Column, string | null] => {
      const name = columns[column + right]!
      return [name, numeric.has(name) ? parseDecimal(text.replace('%', '')) : text.trim() || null]
    })
    return { ...(line ? { id: line.id } : {}), ...Object.fromEntries(values) }
  })
}

interface CellProps {
  line: InvoiceLine
  column: Column
  row: number
  readOnly: boolean
  onChange: (value: string | null) => void
  onPaste: (grid: string[][]) => void
}

function Cell({ line, column, row, readOnly, onChange, onPaste }: CellProps) {
  const value = line[column]
  const [typed, setTyped] = useState<string | null>(null)
  const [invalid, setInvalid] = useState(false)
  const shown = column === 'net_amount' ? (value === null ? '' : formatMoney(value)) : numeric.has(column) ? (value === null ? '' : formatDecimal(value)) : (value ?? '')
  const leave = () => {
    if (typed === null) {
      return
    }
    const text = typed.trim()
    const next = text === '' ? null : numeric.has(column) ? parseDecimal(text) : text
    if (text !== '' && next === null) {
      setInvalid(true)
      return
    }
    setInvalid(false)
    setTyped(null)
    if (next !== value) {
      onChange(next)
    }
  }
  const keyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const step = event.key === 'ArrowDown' || (event.key === 'Enter' && !event.ctrlKey) ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      const next = document.querySelector<HTMLInputElement>(`[data-cell="${row + step}-${column}"]`)
      if (next) {
        next.focus()
      } else {
        event.currentTarget.blur()
      }
    } else if (event.key === 'Escape') {
      event.currentTarget.blur()
    }
  }
  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    const text = event.clipboardData.getData('text/plain').replace(/\r?\n$/, '')
    if (/[\t\n]/.test(text)) {
      event.preventDefault()
      setTyped(null)
      onPaste(text.split(/\r?\n/).map((l) => l.split('\t')))
    }
  }
  return (
    <input
      data-cell={`${row}-${column}`}
      aria-label={t('line.cell', { column: t(`line.${column}` as MessageKey), position: line.position })}
      className={numeric.has(column) ? 'figure' : undefined}
      readOnly={readOnly}
      aria-invalid={invalid || undefined}
      value={typed ?? shown}
      autoComplete="off"
      onFocus={(event) => { setTyped(value ?? ''); event.target.select() }}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={leave}
      onKeyDown={keyDown}
      onPaste={readOnly ? undefined : paste}
    />
  )
}
