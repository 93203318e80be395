// Whether docledger can be reached. Calls wait while it cannot, so that nothing that a person did is
// lost. The browser only knows whether it has a network: a service on the same machine can be reached
// without one, and a service elsewhere may be down with one. So a request decides.
import { isDocledgerError } from '@docledger/client'
import { onlineManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'

const probeMs = 3_000
/** A network that swallows packets must not keep the probe waiting. */
const probeLimitMs = 5_000

let reachable = true
/** The last sign was that there is no connection. */
let doubted = !navigator.onLine
let waiting = 0
let search: Promise<void> | undefined
let wake: () => void = () => undefined
const listeners = new Set<() => void>()

const announce = () => listeners.forEach((listener) => listener())

function setReachable(now: boolean): void {
  if (reachable !== now) {
    reachable = now
    onlineManager.setOnline(now) // queries wait too, and are read again afterwards
    announce()
  }
}

/** The statuses with which a proxy states that the service behind it does not answer. */
const ofProxies = new Set([502, 503, 504])

async function answers(): Promise<boolean> {
  try {
    const { status } = await fetch('/favicon.svg', { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(probeLimitMs) })
    return !ofProxies.has(status)
  } catch {
    return false
  }
}

/** Asks until the service answers. */
async function find(): Promise<void> {
  while (!(await answers())) {
    setReachable(false)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, probeMs)
      wake = () => { clearTimeout(timer); resolve() }
    })
  }
  doubted = false
  setReachable(true)
}

/** Resolves when the service can be reached, at once if nothing speaks against it. */
export function connected(): Promise<void> {
  if (!doubted) {
    return Promise.resolve()
  }
  search ??= find().finally(() => { search = undefined })
  return search
}

/** Resolves like connected, and counts what waits. */
export async function whenConnected(): Promise<void> {
  if (!doubted) {
    return
  }
  waiting++
  announce()
  try {
    await connected()
  } finally {
    waiting--
    announce()
  }
}

/** Finds out whether the service can be reached, after a sign that it cannot. */
function doubt(): void {
  doubted = true
  void connected()
}

/** Reports whether it is not known if the service received a request. */
export const isLost = (error: unknown): boolean =>
  isDocledgerError(error) && (error.code === 'connection_failed' || error.code === 'timed_out' || (error.code === 'unexpected_answer' && ofProxies.has(error.status ?? 0)))

/** Finds out whether the service can be reached, waits until it can, and returns whether it could not. The code of a page is no action. */
export async function reconnected(wait = whenConnected): Promise<boolean> {
  doubted = true
  let was = true
  const listener = () => { was &&= reachable }
  listeners.add(listener)
  try {
    await wait()
    return !was
  } finally {
    listeners.delete(listener)
  }
}

/** Sends a request. One that is repeated after a lost connection waits until there is one again. */
export const connectedFetch: typeof fetch = async (input, init) => {
  await ((input instanceof Request ? input.method : init?.method ?? 'GET') === 'GET' ? connected() : whenConnected())
  try {
    const response = await fetch(input, init)
    if (ofProxies.has(response.status) && !response.headers.get('Content-Type')?.includes('json')) {
      doubt()
    }
    return response
  } catch (error) {
    if (error instanceof TypeError) {
      doubt()
    }
    throw error
  }
}

onlineManager.setEventListener(() => undefined) // this module decides
window.addEventListener('offline', doubt)
window.addEventListener('online', () => wake())
let held = false
let behind = 0

/**
 * Makes the browser ask before the page is closed, while there is something that is not saved. Actions that wait
 * behind others are counted besides the calls.
 */
export function holdPage(hold: boolean, queued: number): void {
  held = hold
  behind = queued
  announce()
}

window.addEventListener('beforeunload', (event) => {
  if (waiting > 0 || held) {
    event.preventDefault() // the browser asks whether what waits is to be lost
  }
})

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useReachable = (): boolean => useSyncExternalStore(subscribe, () => reachable)

/** How many actions wait for the connection. */
export const useWaiting = (): number => useSyncExternalStore(subscribe, () => (waiting > 0 ? waiting + behind : 0))
