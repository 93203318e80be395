import type { Evidence, Invoice } from '@docledger/client'
import { useEffect, useId, useRef, useState } from 'react'

import { useReachable } from '@/api/connection'
import { editableDecimal, formatDate, formatMoney, parseDecimal } from '@/format/format'
import { discard, keepInvalid, type Edit, type Save } from '@/invoices/edits'
import { fieldName } from '@/invoices/reasons'
import '@/text/parts/review'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { Icon } from '@/ui/Icon'
import { errorText } from '@/ui/parts'

import { patchOf, valueAt, type Field } from './fields'
import { useSelection } from './useSelection'

interface Props {
  invoice: Invoice
  field: Field
  doubtful: boolean
  highlighted: boolean
  /** What the person entered and what is not saved. */
  edit: Edit | undefined
  readOnly: boolean
  /** A decision waits, so that nothing can be changed. */
  locked: boolean
  save: Save
  onFocus: (path: string, fill: (word: string, append: boolean) => void) => void
  onBlur: () => void
  /** Called when the person has confirmed the value with Enter. */
  onConfirmed: (path: string) => void
}

const savedShownMs = 2_000

function shown({ kind }: Field, value: string | null): string {
  return kind === 'amount' ? (value === null ? '' : formatMoney(value)) : kind === 'date' ? formatDate(value, '') : (value ?? '')
}

/** One value: text until it is focused, then a field. It saves when it is left. */
export function ValueField({ invoice, field, doubtful, highlighted, edit, readOnly, locked, save, onFocus, onBlur, onConfirmed }: Props) {
  const { path } = field
  const value = valueAt(invoice, path)
  const evidence: Evidence | undefined = invoice.fields[path]
  const [typed, setTyped] = useState<string | null>(null)
  const [saved, setSaved] = useState(false)
  const leaving = useRef(false)
  const pressed = useRef(false)
  const id = useId()
  const focused = typed !== null
  const { input, select } = useSelection(focused)
  const reachable = useReachable()
  // What a person has typed stays in the field until it is saved.
  const current = edit && edit.state !== 'conflict' ? edit.value : value
  const text = edit?.state === 'invalid' ? (edit.value ?? '') : shown(field, current)

  useEffect(() => {
    if (saved) {
      const timer = setTimeout(() => setSaved(false), savedShownMs)
      return () => clearTimeout(timer)
    }
    return undefined
  }, [saved])

  const write = async (next: string | null) => {
    setSaved(false)
    setSaved(await save({ key: path, label: fieldName(path), patch: patchOf(path, next), value: next }))
  }
  /** Reads what is typed; undefined if it is not valid. */
  const read = (text: string): string | null | undefined => {
    const trimmed = text.trim()
    if (trimmed === '') {
      return null
    }
    return field.kind === 'amount' ? (parseDecimal(trimmed) ?? undefined) : trimmed
  }
  /** Saves what is typed. An invalid text stays in the field. */
  const leave = (confirm: boolean): boolean => {
    if (typed === null || readOnly) {
      setTyped(null)
      return true
    }
    const next = read(typed)
    if (next === undefined) {
      keepInvalid(invoice, { key: path, label: fieldName(path), value: typed })
      return false
    }
    setTyped(null)
    if (edit?.state === 'invalid' && next === value) {
      discard(invoice.id, path)
    } else if (next !== current || edit?.state === 'invalid' || (confirm && doubtful && edit === undefined)) {
      void write(next)
    }
    return true
  }
  const alternatives = readOnly ? [] : (evidence?.alternatives ?? []).filter((a) => a !== value).slice(0, 3)
  const choose = (alternative: string) => {
    setTyped(null)
    void write(alternative)
  }

  return (
    <div className="value" data-doubtful={doubtful || undefined} data-highlighted={highlighted || undefined} data-path={path}>
      <label htmlFor={id}>{fieldName(path)}</label>
      <div className="value-box">
        <input
          ref={input}
          id={id}
          type={field.kind === 'date' && focused ? 'date' : 'text'}
          className={field.kind === 'amount' ? 'figure' : undefined}
          readOnly={readOnly}
          value={typed ?? text}
          aria-invalid={edit?.state === 'invalid' || edit?.state === 'failed' || undefined}
          aria-describedby={`${id}-state`}
          autoComplete="off"
          spellCheck={false}
          onMouseDown={() => { pressed.current = true }}
          onFocus={() => {
            if (!pressed.current) { // a click places the caret
              select()
            }
            setTyped(field.kind === 'amount' && edit?.state !== 'invalid' ? editableDecimal(current ?? '') : (current ?? ''))
            onFocus(path, (word, append) => setTyped((old) => (append && old ? `${old} ${word}` : word)))
          }}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={() => {
            if (!leaving.current) {
              leave(false)
            }
            leaving.current = pressed.current = false
            onBlur()
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) {
              event.preventDefault()
              if (leave(true)) {
                leaving.current = true
                onConfirmed(path)
              }
            } else if (event.key === 'Escape') {
              input.current?.blur()
            } else if (event.altKey && /^Digit[1-3]$/.test(event.code)) {
              const alternative = alternatives[Number(event.code.slice(5)) - 1]
              if (alternative !== undefined) {
                event.preventDefault()
                leaving.current = true
                choose(alternative)
                onConfirmed(path)
              }
            }
          }}
        />
        <span id={`${id}-state`} className="value-state" role="status">
          {saved && <span className="tag green"><Icon name="check" />{t('review.saved')}</span>}
          {edit?.state === 'waiting' && (reachable
            ? <span className="muted">{t('review.saving')}</span>
            : <span className="tag amber"><Icon name="offline" />{t('connection.waits')}</span>)}
          {!saved && !edit && doubtful && <span className="tag amber" title={t('review.doubtful')}><Icon name="alert" /><span className="visually-hidden">{t('review.doubtful')}</span></span>}
        </span>
      </div>
      {(edit?.state === 'invalid' || edit?.state === 'failed') && (
        <div className="value-error" role="alert">
          {edit.state === 'invalid' ? t('review.badAmount') : errorText(edit.error)}{' '}
          {edit.state === 'failed' && <Button small isDisabled={locked} onPress={() => void write(edit.value)}>{t('common.retry')}</Button>}
          <Button small isDisabled={locked} onPress={() => { setTyped(null); discard(invoice.id, path) }}>{t('review.discard')}</Button>
        </div>
      )}
      {edit?.state === 'conflict' && (
        <div className="value-conflict" role="alert">
          <p>{t(value === edit.value ? 'review.changed' : 'review.conflict')}</p>
          <div className="row wrap">
            <Button small isDisabled={locked} onPress={() => void write(edit.value)}>{t('review.conflict.mine', { value: shown(field, edit.value) || t('review.empty') })}</Button>
            <Button small isDisabled={locked} onPress={() => discard(invoice.id, path)}>{t('review.conflict.theirs', { value: shown(field, value) || t('review.empty') })}</Button>
          </div>
        </div>
      )}
      {doubtful && alternatives.length > 0 && (
        <div className="row wrap">
          {alternatives.map((a, i) => (
            <Button key={a} small aria-label={t('review.alternative', { number: i + 1, value: shown(field, a) })} onPress={() => choose(a)}>
              {shown(field, a)}<kbd>Alt {i + 1}</kbd>
            </Button>
          ))}
        </div>
      )}
    </div>
  )
}
