// Short notices at the bottom of the window. A notice says what was done and
// can undo it. A report of what failed stays until the person closes it.
import { useSyncExternalStore } from 'react'

import { t } from '@/text/text'

import { Button } from './Button'
import { Icon } from './Icon'

interface Notice {
  id: number
  text: string
  failed?: boolean
  undo?: () => void
}

export const undoMs = 10_000
const plainMs = 4_000

let shown: Notice[] = []
let next = 1
const listeners = new Set<() => void>()

function change(notices: Notice[]): void {
  shown = notices
  listeners.forEach((listener) => listener())
}

const remove = (id: number) => change(shown.filter((n) => n.id !== id))

/** Shows what was done. With undo, the notice stays for ten seconds. */
export function notify(text: string, undo?: () => void): void {
  const id = next++
  change([...shown.filter((n) => n.failed), ...shown.filter((n) => !n.failed).slice(-2), { id, text, undo }])
  setTimeout(() => remove(id), undo ? undoMs : plainMs)
}

/** Reports a failure of something that the person did elsewhere. */
export const report = (text: string): void => change([...shown, { id: next++, text, failed: true }])

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Notices() {
  const notices = useSyncExternalStore(subscribe, () => shown)
  return (
    <div className="notices" role="status" aria-live="polite">
      {notices.map((n) => (
        <div key={n.id} className="notice">
          {n.failed && <Icon name="block" />}
          <span>{n.text}</span>
          {n.undo && <Button small onPress={() => { remove(n.id); n.undo?.() }}>{t('common.undo')}</Button>}
          <Button small look="quiet" icon="close" label={t('common.close')} onPress={() => remove(n.id)} />
        </div>
      ))}
    </div>
  )
}
