// Files that a person dropped or chose and that have no entity yet.
import { useSyncExternalStore } from 'react'

let offered: File[] = []
const listeners = new Set<() => void>()

export function offerFiles(files: File[]): void {
  offered = files
  listeners.forEach((listener) => listener())
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useOffered = (): File[] => useSyncExternalStore(subscribe, () => offered)
