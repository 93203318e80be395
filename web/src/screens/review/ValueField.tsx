import type { Evidence, Invoice } from '@docledger/client'
import { useEffect, useId, useRef, useState } from 'react'

import { useReachable } from '@/api/connection'
import { formatDate, formatMoney, parseDecimal } from '@/format/format'
import { fieldName } from '@/invoices/reasons'
import '@/text/parts/review'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { Icon } from '@/ui/Icon'
import { errorText } from '@/ui/parts'

import { Conflict, type Save } from './save'
import { patchOf, valueAt, type Field } from './fields'

interface Props {
  invoice: Invoice
  field: Field
  doubtful: boolean
  highlighted: boolean
  readOnly: boolean
  save: Save
  onFocus: (path: string, fill: (word: string, append: boolean) => void) => void
  onBlur: () => void
  /** Called when the person has confirmed the value with Enter. */
  onConfirmed: (path: string) => void
}

/** kept is a value that is not saved yet. */
type State = { kind: 'idle' } | { kind: 'saving'; kept: string | null } | { kind: 'saved' } | { kind: 'invalid'; text: string; kept?: string | null } | { kind: 'conflict'; mine: string | null; theirs: string | null }

const savedShownMs = 2_000

function shown({ kind }: Field, value: string | null): string {
  return kind === 'amount' ? (value === null ? '' : formatMoney(value)) : kind === 'date' ? formatDate(value, '') : (value ?? '')
}

/** One value: text until it is focused, then a field. It saves when it is left. */
export function ValueField({ invoice, field, doubtful, highlighted, readOnly, save, onFocus, onBlur, onConfirmed }: Props) {
  const { path } = field
  const value = valueAt(invoice, path)
  const evidence: Evidence | undefined = invoice.fields[path]
  const [typed, setTyped] = useState<string | null>(null)
  const [state, setState] = useState<State>({ kind: 'idle' })
  const input = useRef<HTMLInputElement>(null)
  const leaving = useRef(false)
  const id = useId()
  const focused = typed !== null
  const reachable = useReachable()
  // What a person has typed stays in the field until it is saved.
  const kept = state.kind === 'saving' || state.kind === 'invalid' ? state.kept : undefined
  const current = kept === undefined ? value : kept

  useEffect(() => {
    if (state.kind === 'saved') {
      const timer = setTimeout(() => setState({ kind: 'idle' }), savedShownMs)
      return () => clearTimeout(timer)
    }
    return undefined
  }, [state])

  const write = async (next: string | null) => {
    setState({ kind: 'saving', kept: next })
    try {
      await save(patchOf(path, next))
      setState({ kind: 'saved' })
    } catch (error) {
      setState(error instanceof Conflict
        ? { kind: 'conflict', mine: next, theirs: valueAt(error.current, path) }
        : { kind: 'invalid', text: errorText(error), kept: next })
    }
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
      setState({ kind: 'invalid', text: t('review.badAmount') })
      return false
    }
    setTyped(null)
    if (next !== current || (confirm && doubtful && state.kind !== 'saving')) {
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
          value={typed ?? shown(field, current)}
          aria-invalid={state.kind === 'invalid' || undefined}
          aria-describedby={`${id}-state`}
          autoComplete="off"
          spellCheck={false}
          onFocus={() => {
            setTyped(current ?? '')
            onFocus(path, (word, append) => setTyped((old) => (append && old ? `${old} ${word}` : word)))
          }}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={() => {
            if (!leaving.current) {
              leave(false)
            }
            leaving.current = false
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
          {state.kind === 'saved' && <span className="tag green"><Icon name="check" />{t('review.saved')}</span>}
          {state.kind === 'saving' && (reachable
            ? <span className="muted">{t('review.saving')}</span>
            : <span className="tag amber"><Icon name="offline" />{t('connection.waits')}</span>)}
          {state.kind === 'idle' && doubtful && <span className="tag amber" title={t('review.doubtful')}><Icon name="alert" /><span className="visually-hidden">{t('review.doubtful')}</span></span>}
        </span>
      </div>
      {state.kind === 'invalid' && (
        <div className="value-error" role="alert">
          {state.text} {kept !== undefined && <Button small onPress={() => void write(kept)}>{t('common.retry')}</Button>}
        </div>
      )}
      {state.kind === 'conflict' && (
        <div className="value-conflict" role="alert">
          <p>{t('review.conflict')}</p>
          <div className="row wrap">
            <Button small onPress={() => void write(state.mine)}>{t('review.conflict.mine', { value: shown(field, state.mine) || t('review.empty') })}</Button>
            <Button small onPress={() => setState({ kind: 'idle' })}>{t('review.conflict.theirs', { value: shown(field, state.theirs) || t('review.empty') })}</Button>
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
