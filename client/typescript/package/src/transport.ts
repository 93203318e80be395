import { type Attempt, failureOf, pauseAfter } from './failures.js'
import { type Client, createClient, createConfig } from './generated/client/index.js'
import { formDataBodySerializer } from './generated/core/bodySerializer.gen.js'
import type { Answer, DocledgerOptions, RetryOptions, UploadOptions } from './options.js'
import { type Page, Pages } from './pages.js'
import { longestTimerMs, Retries, sleep } from './retry.js'
import { fetchWithProgress } from './upload.js'

/** The properties of an operation that the transport requires. */
export interface Operation {
  /** The operationId. */
  id: string
  /** The operation needs no token. */
  open?: boolean
  /** The operation changes no data and can be retried. */
  safe?: boolean
  /** The operation accepts an Idempotency-Key and can be retried with it. */
  keyed?: boolean
  /** The request is a form with a file. */
  form?: boolean
  /** The type of the response if it is not JSON: the bytes of a file, JSON or text, or a redirect. */
  answers?: 'file' | 'text' | 'redirect'
}

/** The argument of a method. The generated types have already checked it. */
type Input = UploadOptions & {
  body?: unknown
  path?: Record<string, unknown>
  query?: Record<string, unknown>
  headers?: Record<string, unknown>
}

/** A generated function. The class keeps its types. */
type Send = (options: any) => Promise<Attempt>

const usualTimeoutMs = 100_000
const idempotencyKey = 'Idempotency-Key'

/** Sends the calls of one client. */
export class Transport {
  readonly #options: DocledgerOptions
  readonly #fetch: typeof fetch
  readonly #client: Client

  constructor(options: DocledgerOptions) {
    this.#options = options
    // Browsers reject a call of fetch as a method of another object.
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init))
    this.#client = createClient(createConfig({ baseUrl: options.baseUrl.replace(/\/+$/, ''), fetch: this.#fetch }))
  }

  /** Returns a list. The query parameter next selects its pages. */
  list<P extends Page<unknown>>(operation: Operation, send: Send, input: Input, next?: 'cursor' | 'after'): Pages<P> {
    const read = (cursor?: string) =>
      this.call<P>(operation, send, next && cursor ? { ...input, query: { ...input.query, [next]: cursor } } : input)
    return new Pages<P>(read)
  }

  /** Calls an operation and retries it if a retry is useful and safe. */
  async call<T>(operation: Operation, send: Send, input: Input): Promise<Answer<T>> {
    const headers = { ...input.headers }
    if (operation.keyed) {
      headers[idempotencyKey] ??= newKey()
    }
    const repeatable = operation.safe === true || headers[idempotencyKey] !== undefined
    const retries = new Retries(retryOptions(this.#options, input))
    let token = operation.open ? undefined : await until(input.signal, () => this.#token(operation))
    let renewed = false
    for (;;) {
      input.signal?.throwIfAborted()
      const attempt = await this.#try(operation, send, { ...input, headers }, token)
      if (attempt.response && succeeded(operation, attempt)) {
        return answerOf<T>(attempt.response, attempt.data)
      }
      input.signal?.throwIfAborted()
      const failure = failureOf(operation.id, attempt)
      if (failure.status === 401 && token !== undefined && !renewed) {
        renewed = true
        const refused = token
        token = await until(input.signal, () => this.#token(operation, refused))
        if (token !== undefined && token !== refused) {
          continue
        }
      }
      const pause = repeatable ? pauseAfter(failure, attempt.response?.headers, retries) : undefined
      if (pause === undefined) {
        throw failure
      }
      await sleep(pause, input.signal)
    }
  }

  async #try(operation: Operation, send: Send, input: Input, token: string | undefined): Promise<Attempt> {
    const options: Record<string, unknown> = {
      client: this.#client,
      headers: input.headers,
      auth: token,
      parseAs: operation.answers === 'file' ? 'blob' : 'auto',
      redirect: operation.answers === 'redirect' ? 'manual' : 'follow',
    }
    for (const name of ['body', 'path', 'query'] as const) {
      if (input[name] !== undefined) {
        options[name] = input[name]
      }
    }
    const bytes = operation.form === true || operation.answers === 'file'
    const timeoutMs = input.timeoutMs ?? (bytes ? undefined : (this.#options.timeoutMs ?? usualTimeoutMs))
    const signals = input.signal ? [input.signal] : []
    if (timeoutMs !== undefined && timeoutMs <= longestTimerMs) {
      signals.push(AbortSignal.timeout(Math.ceil(Math.max(0, timeoutMs))))
    }
    options.signal = AbortSignal.any(signals)
    if (operation.form && input.onProgress) {
      const form = formDataBodySerializer.bodySerializer(input.body)
      options.bodySerializer = () => form
      options.fetch = fetchWithProgress(form, input.onProgress, this.#fetch)
    }
    try {
      return await send(options)
    } catch (error) {
      return { error } // the response is incomplete or malformed
    }
  }

  async #token(operation: Operation, refused?: string): Promise<string | undefined> {
    const source = this.#options.token
    return typeof source === 'function' ? source(refused, operation.safe !== true) : source
  }
}

/** Returns the result of ask, or rejects when signal is aborted. Token sources accept no signal. */
async function until<T>(signal: AbortSignal | undefined, ask: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted()
  if (!signal) {
    return ask()
  }
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([ask(), aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Returns a unique key. It does not use randomUUID, which pages served over http lack. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Merges the options. Options of the call override options of the client. */
function retryOptions(client: RetryOptions, call: RetryOptions): RetryOptions {
  return {
    retries: call.retries ?? client.retries,
    longestPauseMs: call.longestPauseMs ?? client.longestPauseMs,
    patienceMs: call.patienceMs ?? client.patienceMs,
  }
}

function succeeded(operation: Operation, { response, error }: Attempt): boolean {
  if (operation.answers === 'redirect') {
    // A browser hides the target of a redirect.
    return response?.type === 'opaqueredirect' || (response !== undefined && response.status >= 300 && response.status < 400)
  }
  if (!response?.ok || error !== undefined) {
    return false
  }
  const type = response.headers.get('Content-Type') ?? ''
  return operation.answers === 'file' || type.includes('json') || (operation.answers === 'text' && /^text\/(csv|plain)\b/.test(type))
}

function answerOf<T>(response: Response, data: unknown): Answer<T> {
  return {
    data: data as T,
    requestId: response.headers.get('X-Request-Id') ?? '',
    etag: response.headers.get('ETag') ?? undefined,
    status: response.status,
    headers: response.headers,
  }
}
