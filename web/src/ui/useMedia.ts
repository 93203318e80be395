import { useCallback, useSyncExternalStore } from 'react'

/** The widths at which the layout changes. The style sheets have the same. */
export const phone = '(max-width: 820px)'
export const tablet = '(max-width: 1200px)'

/** Whether a media query matches, also after the window has changed. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback((changed: () => void) => {
    const list = window.matchMedia(query)
    list.addEventListener('change', changed)
    return () => list.removeEventListener('change', changed)
  }, [query])
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches)
}
