import type { RetryOptions } from './options.js'

const firstPauseMs = 500
const longestOwnPauseMs = 8_000

/** The longest time that timers take, 24 days; a longer one they take for none at all. */
export const longestTimerMs = 2 ** 31 - 1

/** The answers that say that the request was not carried out for now. */
const passing = new Set([429, 502, 503, 504])

/** Reads Retry-After, which is seconds or a date, in milliseconds from now. */
export function retryAfterMs(headers: Headers, now = Date.now()): number | undefined {
  const value = headers.get('Retry-After')?.trim()
  if (!value) {
    return undefined
  }
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

/** Decides whether and when one call is tried again. */
export class Retries {
  readonly #most: number
  readonly #longest: number
  readonly #until: number
  #done = 0

  constructor(options: RetryOptions) {
    this.#most = options.retries ?? 3
    this.#longest = options.longestPauseMs ?? 60_000
    this.#until = Date.now() + (options.patienceMs ?? 300_000)
  }

  /** The pause in milliseconds after which to ask whether it is done; undefined to give up. */
  afterUnfinished(headers: Headers): number | undefined {
    const pause = Math.max(retryAfterMs(headers) ?? 0, firstPauseMs)
    return Date.now() + pause <= this.#until && pause <= longestTimerMs ? pause : undefined
  }

  /** The pause in milliseconds before the next try; undefined to give up. */
  afterRefusal(status: number, headers: Headers): number | undefined {
    const asked = retryAfterMs(headers)
    return passing.has(status) || asked !== undefined ? this.#pause(asked) : undefined
  }

  /** The pause in milliseconds before the next try; undefined to give up. */
  afterSilence(): number | undefined {
    return this.#pause()
  }

  /** What the service asks for is waited for, else twice as long each time, less a random part. */
  #pause(asked?: number): number | undefined {
    if (this.#done >= this.#most) {
      return undefined
    }
    const own = Math.min(firstPauseMs * 2 ** this.#done, longestOwnPauseMs)
    this.#done++
    const pause = asked ?? own * (0.5 + Math.random() / 2)
    return pause <= Math.min(this.#longest, longestTimerMs) ? pause : undefined
  }
}

/** Waits, and rejects with the signal's reason as soon as it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
