import { Docledger, type DocledgerOptions } from '../../../gen/typescript/src/index.js'

/** The responses of a service in order, or the failures of a connection. */
export type Reply = Response | Error | ((request: Request) => Response | Promise<Response>)

/** Returns a client whose requests get the replies, and the sent requests. */
export function fake(replies: Reply[], options: Partial<DocledgerOptions> = {}): { api: Docledger; sent: Request[] } {
  const sent: Request[] = []
  const answer: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    sent.push(request)
    const reply = replies[sent.length - 1]
    if (reply === undefined) {
      throw new Error(`unexpected request ${sent.length}`)
    }
    if (reply instanceof Error) {
      throw reply
    }
    return typeof reply === 'function' ? reply(request) : reply
  }
  return { api: new Docledger({ baseUrl: 'http://docledger.test/', token: 'token', fetch: answer, ...options }), sent }
}

/** A successful response. */
export function ok(body: unknown): Response {
  return Response.json(body, { headers: { 'X-Request-Id': 'request-ok' } })
}

/** An error response of the service. */
export function refusal(status: number, code: string, headers: Record<string, string> = {}, details = {}): Response {
  const error = { code, message: `It is ${code}.`, details: { request_id: `request-${code}`, ...details } }
  return Response.json({ error }, { status, headers: { 'X-Request-Id': `request-${code}`, ...headers } })
}
