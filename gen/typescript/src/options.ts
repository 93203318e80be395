// Copied from client/typescript/package/src. DO NOT EDIT here.

/** Where a call's bearer token comes from. */
export type TokenSource =
  | string
  /**
   * Called for each call. When the service has refused a token (401), it is
   * called again with that token: answer another one, and the request is sent
   * once more; answer the same or none, and the call fails.
   */
  | ((refused?: string) => string | undefined | Promise<string | undefined>)

/** How often and how long a call is tried again. */
export interface RetryOptions {
  /** How often after the first try; 3 unless said otherwise, 0 for never. */
  retries?: number
  /**
   * The longest pause in milliseconds that is waited through; one minute unless
   * said otherwise. A service that asks for more gets no further try.
   */
  longestPauseMs?: number
  /**
   * How long in milliseconds an operation is waited for that answers
   * `still_processing`; five minutes unless said otherwise. These answers do
   * not count as tries.
   */
  patienceMs?: number
}

/** What a client is made with. */
export interface DocledgerOptions extends RetryOptions {
  /** Where the service is, such as `https://docledger.example.com`. */
  baseUrl: string
  /** The bearer token; not needed for signing in. */
  token?: TokenSource
  /**
   * The longest time in milliseconds for one try, 100 seconds unless said
   * otherwise, Infinity for none. It does not bound uploads and downloads.
   */
  timeoutMs?: number
  /** What to send requests with in place of the platform's own `fetch`. */
  fetch?: typeof fetch
}

/** What can be said of a single call, beside the operation's own parameters. */
export interface CallOptions extends RetryOptions {
  /** Ends the call: it rejects with the signal's reason. */
  signal?: AbortSignal
  /** As for the client, for this call alone; here it bounds uploads and downloads too. */
  timeoutMs?: number
}

/** How far an upload has got, in bytes; total is 0 where it is not known. */
export interface Progress {
  loaded: number
  total: number
}

/** What can be said of a single upload. */
export interface UploadOptions extends CallOptions {
  /**
   * Told how far the upload has got: in browsers as the bytes leave, elsewhere
   * at its beginning and its end. A second try begins at 0 again.
   */
  onProgress?: (progress: Progress) => void
}

/** The parameters of an operation, by where they stand in the request. */
export type Parameters<Data> = {
  [Key in keyof Data as Key extends 'body' | 'path' | 'query' | 'headers'
    ? [Data[Key]] extends [undefined]
      ? never
      : Key
    : never]: Data[Key]
}

/** What a method takes. */
export type Call<Data> = Parameters<Data> & CallOptions

/** What a method takes that sends a file. */
export type UploadCall<Data> = Parameters<Data> & UploadOptions

/** What the service answered. */
export interface Answer<Data> {
  data: Data
  /** The service's own id of the request; quote it when asking for help. */
  requestId: string
  /** The version of the record, for `If-Match`. */
  etag: string | undefined
  status: number
  headers: Headers
}
