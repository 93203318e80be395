import type { Invoice, InvoiceLine, InvoiceLinePatch } from '@docledger/client'
import { useState, type ClipboardEvent, type KeyboardEvent } from 'react'

import { editableDecimal, formatDecimal, formatMoney, parseDecimal } from '@/format/format'
import '@/text/parts/review'
import { t, type MessageKey } from '@/text/text'
import { Button } from '@/ui/Button'

import { LineCoding } from './LineCoding'
import { useSelection } from './useSelection'
import type { LedgerOptions } from '@/invoices/ledger'
import { discard, keepInvalid, type Edit, type Save } from '@/invoices/edits'

interface Props {
  invoice: Invoice
  ledger: LedgerOptions
  edits: readonly Edit[]
  readOnly: boolean
  save: Save
}

const columns = ['description', 'quantity', 'unit', 'unit_price', 'tax_rate', 'net_amount'] as const
type Column = (typeof columns)[number]

let keys = 0
/** Two additions are two changes: the second one does not replace the first. */
const newKey = (kind: string) => `lines.${kind}.${++keys}`

const numeric = new Set<Column>(['quantity', 'unit_price', 'tax_rate', 'net_amount'])

/** The lines, folded while they are alike, and edited like a small spreadsheet. */
export function Lines({ invoice, ledger, edits, readOnly, save }: Props) {
  const alike = new Set(invoice.lines.map((l) => l.account_id)).size <= 1
  const [open, setOpen] = useState(!alike)
  const change = (key: string, label: string, value: string | null, lines: InvoiceLinePatch[]) =>
    void save({ key, label, value, patch: { lines } })
  const cellName = (line: InvoiceLine, column: Column | 'account') => t('line.cell', { column: t(`line.${column}` as MessageKey), position: line.position })
  return (
    <div className="stack">
      <div className="row">
        <span className="grow">{t('line.alike', { count: invoice.lines_total, account: accountText(invoice, ledger, alike) })}</span>
        <Button small onPress={() => setOpen(!open)} aria-expanded={open}>{open ? t('line.hide') : t('line.show')}</Button>
      </div>
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
                    {columns.map((c) => {
                      const what = { key: `lines.${line.id}.${c}`, label: cellName(line, c) }
                      return (
                        <td key={c}>
                          <Cell
                            line={line}
                            column={c}
                            row={row}
                            edit={edits.find((edit) => edit.key === what.key)}
                            readOnly={readOnly}
                            onChange={(value) => change(what.key, what.label, value, [{ id: line.id, [c]: value }])}
                            onInvalid={(value) => keepInvalid(invoice, { ...what, value })}
                            onBack={() => discard(invoice.id, what.key)}
                            onPaste={(grid) => change(newKey('paste'), t('line.pasted', { count: grid.length }), null, pasted(invoice.lines, row, columns.indexOf(c), grid))}
                          />
                        </td>
                      )
                    })}
                    {ledger.connected && (
                      <td><LineCoding line={coded(line, edits)} ledger={ledger} readOnly={readOnly} onChange={(account_id) => change(`lines.${line.id}.account`, cellName(line, 'account'), ledger.accountName(account_id) ?? account_id, [{ id: line.id, account_id }])} /></td>
                    )}
                    {!readOnly && (
                      <td className="actions">
                        <Button small look="quiet" icon="close" label={t('line.remove', { position: line.position })} onPress={() => change(`lines.${line.id}`, t('line.remove', { position: line.position }), null, [{ id: line.id, deleted: true }])} />
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
              <Button small icon="plus" onPress={() => change(newKey('add'), t('line.add'), null, [{ description: null }])}>{t('line.add')}</Button>
              <span className="muted">{t('line.pasteHint')}</span>
            </div>
          )}
        </>
      )}
    </div>
  )
}

/** The line with the account that the person chose, until it is saved. */
function coded(line: InvoiceLine, edits: readonly Edit[]): InvoiceLine {
  const edit = edits.find((each) => each.key === `lines.${line.id}.account`)
  return edit && edit.state !== 'conflict' ? { ...line, account_id: edit.patch.lines?.[0]?.account_id ?? null } : line
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
  edit: Edit | undefined
  readOnly: boolean
  onChange: (value: string | null) => void
  onInvalid: (text: string) => void
  /** The value is the one of the service again. */
  onBack: () => void
  onPaste: (grid: string[][]) => void
}

function Cell({ line, column, row, edit, readOnly, onChange, onInvalid, onBack, onPaste }: CellProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const { input, select } = useSelection(typed !== null)
  const invalid = edit?.state === 'invalid'
  const value = edit && edit.state !== 'conflict' && !invalid ? edit.value : line[column]
  const shown = column === 'net_amount' ? (value === null ? '' : formatMoney(value)) : numeric.has(column) ? (value === null ? '' : formatDecimal(value)) : (value ?? '')
  const leave = () => {
    if (typed === null || readOnly) {
      setTyped(null)
      return
    }
    const text = typed.trim()
    const next = text === '' ? null : numeric.has(column) ? parseDecimal(text) : text
    if (text !== '' && next === null) {
      onInvalid(typed)
      return
    }
    setTyped(null)
    if (next !== value) {
      onChange(next)
    } else if (invalid) {
      onBack()
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
      ref={input}
      data-cell={`${row}-${column}`}
      aria-label={t('line.cell', { column: t(`line.${column}` as MessageKey), position: line.position })}
      className={numeric.has(column) ? 'figure' : undefined}
      readOnly={readOnly}
      aria-invalid={invalid || edit?.state === 'failed' || undefined}
      value={typed ?? (invalid ? (edit.value ?? '') : shown)}
      autoComplete="off"
      onFocus={() => { select(); setTyped(invalid ? (edit.value ?? '') : numeric.has(column) ? editableDecimal(value ?? '') : (value ?? '')) }}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={leave}
      onKeyDown={keyDown}
      onPaste={readOnly ? undefined : paste}
    />
  )
}
