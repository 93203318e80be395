/** The source of the bearer token. */
export type TokenSource =
  | string
  /**
   * Called for each call. If the service refuses the token (401), it is called
   * again with that token. If it returns another token, the client retries the
   * request once; otherwise the call fails. `changes` is whether the call changes
   * data.
   */
  | ((refused?: string, changes?: boolean) => string | undefined | Promise<string | undefined>)

/** The number and duration of retries. */
export interface RetryOptions {
  /** The number of retries after the first attempt; default 3, 0 for none. */
  retries?: number
  /**
   * The longest delay in milliseconds before a retry; default one minute. If the
   * service requests a longer delay, the call fails.
   */
  longestPauseMs?: number
  /**
   * How long in milliseconds the client waits while an operation returns
   * `still_processing`; default five minutes. These responses do not count as
   * attempts.
   */
  patienceMs?: number
}

/** The options of a client. */
export interface DocledgerOptions extends RetryOptions {
  /** The URL of the service, such as `https://docledger.example.com`. */
  baseUrl: string
  /** The bearer token; not required to sign in. */
  token?: TokenSource
  /**
   * The time limit in milliseconds for one attempt; default 100 seconds,
   * Infinity for none. It does not apply to uploads and downloads.
   */
  timeoutMs?: number
  /** The function that sends requests; default: `fetch` of the platform. */
  fetch?: typeof fetch
}

/** The options of a single call, in addition to the parameters of the operation. */
export interface CallOptions extends RetryOptions {
  /** Aborts the call, which rejects with the reason of the signal. */
  signal?: AbortSignal
  /** The time limit in milliseconds for one attempt of this call, including uploads and downloads. */
  timeoutMs?: number
}

/** The progress of an upload in bytes; total is 0 if it is unknown. */
export interface Progress {
  loaded: number
  total: number
}

/** The options of a single upload. */
export interface UploadOptions extends CallOptions {
  /**
   * Called with the progress of the upload: in browsers while bytes are sent, on
   * other platforms at the beginning and at the end. A retry starts at 0.
   */
  onProgress?: (progress: Progress) => void
}

/** The parameters of an operation, grouped by their place in the request. */
export type Parameters<Data> = {
  [Key in keyof Data as Key extends 'body' | 'path' | 'query' | 'headers'
    ? [Data[Key]] extends [undefined]
      ? never
      : Key
    : never]: Data[Key]
}

/** The argument of a method. */
export type Call<Data> = Parameters<Data> & CallOptions

/** The argument of a method that uploads a file. */
export type UploadCall<Data> = Parameters<Data> & UploadOptions

/** A response of the service. */
export interface Answer<Data> {
  data: Data
  /** The id of the request. Quote it in support requests. */
  requestId: string
  /** The version of the record, for `If-Match`. */
  etag: string | undefined
  status: number
  headers: Headers
}
