import { useLayoutEffect, useRef } from 'react'

/**
 * Selects the text of a field if its edited value replaces the text that was shown, and with it the selection. It does
 * so once after select, not when a field that has the focus is typed into again.
 */
export function useSelection(edited: boolean) {
  const input = useRef<HTMLInputElement>(null)
  const due = useRef(false)
  useLayoutEffect(() => {
    if (edited && due.current) {
      input.current?.select()
    }
    due.current = false
  }, [edited])
  return { input, select: () => { due.current = true } }
}
