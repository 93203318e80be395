import type { DeliveredEvent, DeliveredSubject } from './generated/types.gen.js'

/** The members of an open list of values that this release names. */
type Listed<T> = T extends string ? (string extends T ? never : T) : never

/** A type of event of this release. */
export type WebhookEventType = Listed<DeliveredEvent['type']>

/** What the events of a type are about. */
export type WebhookSubjectType<Type extends WebhookEventType> = Type extends `billing.${string}`
  ? 'organization'
  : Type extends `${infer Subject}.${string}`
    ? Subject
    : never

/**
 * An event that a webhook receives. Its type determines the type of its subject. A
 * later release may send types that are not listed here; ignore them.
 */
export type WebhookEvent = {
  [Type in WebhookEventType]: Omit<DeliveredEvent, 'type' | 'subject'> & {
    type: Type
    subject: Omit<DeliveredSubject, 'type'> & { type: WebhookSubjectType<Type> }
  }
}[WebhookEventType]

/** Seconds by which the timestamp of a request may differ from the clock. */
const tolerance = 300

/** The request is not one of docledger for this secret, or it is too old. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

type HeaderSource = Headers | Record<string, string | string[] | undefined>

function headerOf(headers: HeaderSource, name: string): string {
  if (headers instanceof Headers) {
    return headers.get(name) ?? ''
  }
  const key = Object.keys(headers).find((k) => k.toLowerCase() === name)
  const value = key === undefined ? undefined : headers[key]
  return Array.isArray(value) ? value.join(' ') : (value ?? '')
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0))
}

/**
 * Verifies a request to a webhook and returns its event (Standard Webhooks).
 *
 * @param body the body as it was received, before it is parsed
 * @param headers the headers of the request
 * @param secret the secret of the webhook, or several during a rotation
 * @param now the present time in milliseconds, for tests
 * @throws WebhookVerificationError if the signature or the timestamp is not valid
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: HeaderSource,
  secret: string | readonly string[],
  now: number = Date.now(),
): Promise<WebhookEvent> {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const given = headerOf(headers, 'webhook-signature').split(' ')
  if (id === '' || !/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('The headers webhook-id and webhook-timestamp are required.')
  }
  if (Math.abs(now / 1000 - Number(timestamp)) > tolerance) {
    throw new WebhookVerificationError('The timestamp differs from the clock by more than five minutes.')
  }
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`)
  for (const s of typeof secret === 'string' ? [secret] : secret) {
    let key: CryptoKey
    try {
      key = await crypto.subtle.importKey('raw', fromBase64(s.replace(/^whsec_/, '')), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    } catch {
      throw new WebhookVerificationError('The secret must be whsec_ and base64.')
    }
    for (const signature of given) {
      if (signature.startsWith('v1,') && (await matches(key, signature.slice(3), signed))) {
        return JSON.parse(text) as WebhookEvent
      }
    }
  }
  throw new WebhookVerificationError('No signature is valid for the secret.')
}

async function matches(key: CryptoKey, signature: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  try {
    return await crypto.subtle.verify('HMAC', key, fromBase64(signature), signed)
  } catch {
    return false // not base64
  }
}
