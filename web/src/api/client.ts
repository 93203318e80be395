// The one client of the API. Screens use it through the queries of this folder.
import { Docledger } from '@docledger/client'

import { connected, connectedFetch, whenConnected } from './connection'
import { session, type Token } from './session'

/** A token is renewed when it has less than this left. */
const renewBeforeMs = 10 * 60_000

let renewal: Promise<Token | undefined> | undefined

export const api: Docledger = new Docledger({ baseUrl: location.origin, token: currentToken, fetch: connectedFetch })

export async function currentToken(refused?: string, changes?: boolean): Promise<string | undefined> {
  await (changes ? whenConnected() : connected()) // before the time limit of the call begins
  const held = session.get()
  if (refused !== undefined) {
    // Another tab may have renewed the token in the meantime.
    if (held && held.token !== refused) {
      return held.token
    }
    session.end()
    return undefined
  }
  if (held && Date.parse(held.expires_at) - Date.now() < renewBeforeMs) {
    return (await renew())?.token
  }
  return held?.token
}

/** Renews the token once, however many calls need it. */
function renew(): Promise<Token | undefined> {
  renewal ??= withLock(async () => {
    const held = session.get()
    if (!held || Date.parse(held.expires_at) - Date.now() >= renewBeforeMs) {
      return held // another tab has renewed it
    }
    const fixed = new Docledger({ baseUrl: location.origin, token: held.token })
    try {
      const { data } = await fixed.refreshToken()
      session.begin(data)
      return data
    } catch {
      return held // it may be valid for some minutes; a refusal ends the session
    }
  }).finally(() => {
    renewal = undefined
  })
  return renewal
}

function withLock<T>(work: () => Promise<T>): Promise<T> {
  return navigator.locks ? navigator.locks.request('docledger.refresh', work) : work()
}

/** Moves the session to another organization of the caller. */
export async function switchOrganization(id: string): Promise<void> {
  const { data } = await api.refreshToken({ body: { organization_id: id } })
  session.begin(data)
}

export async function signIn(email: string, password: string): Promise<void> {
  const { data } = await api.login({ body: { email, password } })
  session.begin(data)
}

type FirstAdmin = NonNullable<Parameters<Docledger['setUp']>[0]>['body']

/** Creates the first administrator of the installation and signs them in. */
export async function setUp(body: FirstAdmin): Promise<void> {
  const { data } = await api.setUp({ body })
  session.begin(data)
}

export async function signOut(): Promise<void> {
  try {
    await api.logout()
  } finally {
    session.end()
  }
}
