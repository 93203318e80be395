// The consent to an assistant. Its routes belong to the authorization server,
// which follows OAuth and is no part of the API.
import { currentToken } from './client'

export interface Consent {
  client_name: string | null
  redirect_host: string
  on_device: boolean
  redirect_url: string | null
}

/** A refusal of the authorization server, with a text for people. */
export class ConsentError extends Error {}

/** Reads the request of an assistant. With a decision it returns where the browser must go. */
export async function askConsent(request: string, decision?: { decision: 'ALLOW' | 'DENY'; organization_id: string }): Promise<Consent> {
  const token = await currentToken(undefined, true)
  const answer = await fetch('/oauth/consent', {
    method: 'POST',
    headers: { authorization: `Bearer ${token ?? ''}`, 'content-type': 'application/json' },
    body: JSON.stringify({ request, ...decision }),
  })
  const body = (await answer.json()) as Partial<Consent> & { error_description?: string }
  if (!answer.ok) {
    throw new ConsentError(body.error_description ?? answer.statusText)
  }
  return body as Consent
}
