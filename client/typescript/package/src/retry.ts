import type { RetryOptions } from './options.js'

const firstPauseMs = 500
const longestOwnPauseMs = 8_000

/** The longest duration of a timer, 24 days. Timers treat a longer duration as 0. */
export const longestTimerMs = 2 ** 31 - 1

/** The statuses that mean that the request was temporarily not processed. */
const passing = new Set([429, 502, 503, 504])

/** Returns Retry-After (seconds or a date) in milliseconds from now. */
export function retryAfterMs(headers: Headers, now = Date.now()): number | undefined {
  const value = headers.get('Retry-After')?.trim()
  if (!value) {
    return undefined
  }
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

/** Decides whether and when one call is retried. */
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

  /** Returns the delay in milliseconds before the next request for the result; undefined to give up. */
  afterUnfinished(headers: Headers): number | undefined {
    const pause = Math.max(retryAfterMs(headers) ?? 0, firstPauseMs)
    return Date.now() + pause <= this.#until && pause <= longestTimerMs ? pause : undefined
  }

  /** Returns the delay in milliseconds before the retry; undefined to give up. */
  afterRefusal(status: number, headers: Headers): number | undefined {
    const asked = retryAfterMs(headers)
    return passing.has(status) || asked !== undefined ? this.#pause(asked) : undefined
  }

  /** Returns the delay in milliseconds before the retry; undefined to give up. */
  afterSilence(): number | undefined {
    return this.#pause()
  }

  /** Returns the delay that the service requested, or else an exponential backoff with jitter. */
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

/** Waits. It rejects with the reason of the signal when the signal is aborted. */
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
