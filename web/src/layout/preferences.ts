// What a person sets for this browser. It holds no data of the organization.
import { useSyncExternalStore } from 'react'

interface Preferences {
  /** Single letters are commands, such as j for the next invoice. */
  letterKeys: boolean
  /** The zoom of the page in the review; 1 fits the width. */
  zoom: number
}

const storageKey = 'docledger.preferences'
const defaults: Preferences = { letterKeys: true, zoom: 1 }

function read(): Preferences {
  try {
    return { ...defaults, ...(JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<Preferences>) }
  } catch {
    return defaults
  }
}

let current = read()
const listeners = new Set<() => void>()

export function setPreference<Name extends keyof Preferences>(name: Name, value: Preferences[Name]): void {
  current = { ...current, [name]: value }
  localStorage.setItem(storageKey, JSON.stringify(current))
  listeners.forEach((listener) => listener())
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, () => current)
