import { useEffect, useRef } from 'react'

import { usePreferences } from './preferences'

type Keys = Record<string, (event: KeyboardEvent) => void>

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Whether the pressed key belongs to something else, such as a menu or a dialog. */
const elsewhere = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('[role=dialog],[role=listbox],[role=menu]') !== null

/** Whether a button or link does something itself with the key. */
const native = (target: EventTarget | null, key: string): boolean =>
  target instanceof HTMLElement && (key === 'enter' ? target.closest('a,button') : key === ' ' ? target.closest('button') : null) !== null

/**
 * Runs a command for a key. A letter works outside fields and only if letter
 * keys are on. `ctrl+enter` and `alt+1` work in fields too.
 */
export function useKeys(keys: Keys, enabled = true): void {
  const { letterKeys } = usePreferences()
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    if (!enabled) {
      return
    }
    const onKey = (event: KeyboardEvent) => {
      const held = event.ctrlKey || event.metaKey ? 'ctrl+' : event.altKey ? 'alt+' : ''
      const name = held + (held === 'alt+' ? event.code.replace(/^(Digit|Key)/, '').toLowerCase() : event.key.length === 1 ? event.key : event.key.toLowerCase())
      const command = latest.current[name]
      if (!command || event.defaultPrevented || elsewhere(event.target) || native(event.target, name)) {
        return
      }
      const letter = held === '' && event.key.length === 1
      if (held === '' && (typing(event.target) || (letter && !letterKeys))) {
        return
      }
      event.preventDefault()
      command(event)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [enabled, letterKeys])
}
