// An assistant in a page of another origin: each of its requests is one that
// the browser asks about first, and reads headers that must be exposed to it.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { test } from 'node:test'

import { startBrowser, startSandbox } from './world.mjs'

/** Serves empty pages at a separate origin, and one page, /opaque, with an opaque origin. */
async function startPage(t) {
  const server = createServer((request, response) => {
    if (request.url === '/opaque') response.setHeader('Content-Security-Policy', 'sandbox allow-scripts')
    response.setHeader('Content-Type', 'text/html').end('<title>assistant</title>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${server.address().port}`
}

test('tools in a page of another origin', async (t) => {
  const sandbox = await startSandbox(t, '--env', 'deployed', '--auto-approve')
  const origin = await startPage(t)
  const page = await (await startBrowser(t)).newPage()
  const callback = origin + '/callback'

  await page.goto(origin)
  const found = await page.evaluate(
    async ({ mcp, callback }) => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
      const accept = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
      const refused = await fetch(mcp, { method: 'POST', headers: { ...accept, 'MCP-Protocol-Version': '2025-11-25' }, body: JSON.stringify(body) })
      const challenge = refused.headers.get('WWW-Authenticate')
      const json = async (url, init) => (await fetch(url, init)).json()
      const versioned = { headers: { 'MCP-Protocol-Version': '2025-11-25' } }
      const resource = await json(challenge.match(/resource_metadata="([^"]+)"/)[1], versioned)
      const server = await json(resource.authorization_servers[0] + '/.well-known/oauth-authorization-server', versioned)
      const client = await json(server.registration_endpoint, { method: 'POST', headers: accept, body: JSON.stringify({ redirect_uris: [callback] }) })
      return { status: refused.status, challenge, resource, server, client }
    },
    { mcp: sandbox.MCP_URL, callback },
  )
  assert.equal(found.status, 401)
  assert.equal(found.resource.resource, sandbox.MCP_URL)
  assert.deepEqual(found.client.redirect_uris, [callback])

  const verifier = 'a-verifier-that-is-as-long-as-verifiers-must-be'
  const sum = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const question = new URLSearchParams({
    response_type: 'code',
    client_id: found.client.client_id,
    redirect_uri: callback,
    state: 'a-state-that-is-long',
    code_challenge: Buffer.from(sum).toString('base64url'),
    code_challenge_method: 'S256',
    scope: found.challenge.match(/scope="([^"]+)"/)[1],
    resource: found.resource.resource,
  })
  await page.goto(`${found.server.authorization_endpoint}?${question}`)
  const back = new URL(page.url())
  assert.equal(back.origin + back.pathname, callback)

  const seen = await page.evaluate(
    async ({ mcp, endpoint, form }) => {
      const tokens = await (await fetch(endpoint, { method: 'POST', body: new URLSearchParams(form) })).json()
      const send = async (method, params, headers) => {
        const meta = {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'page', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        }
        const response = await fetch(mcp, {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${tokens.access_token}`,
            'Content-Type': 'application/json',
            Accept: 'application/json, text/event-stream',
            'MCP-Protocol-Version': '2026-07-28',
            'Mcp-Method': method,
            ...headers,
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: meta, ...params } }),
        })
        const text = await response.text()
        return JSON.parse(text.startsWith('{') ? text : text.match(/^data: (.*)$/m)[1]).result
      }
      const listed = await send('tools/list', {}, {})
      const called = await send('tools/call', { name: 'get_me', arguments: {} }, { 'Mcp-Name': 'get_me' })
      return { tools: listed.tools.length, me: called.structuredContent }
    },
    {
      mcp: sandbox.MCP_URL,
      endpoint: found.server.token_endpoint,
      form: {
        grant_type: 'authorization_code',
        code: back.searchParams.get('code'),
        redirect_uri: callback,
        client_id: found.client.client_id,
        code_verifier: verifier,
      },
    },
  )
  assert.ok(seen.tools > 20)
  assert.equal(seen.me.user.email, sandbox.LOGIN_EMAIL)

  // A page with an opaque origin may read only the refusal.
  await page.goto(origin + '/opaque')
  const status = await page.evaluate(
    async (mcp) => (await fetch(mcp, { method: 'POST', headers: { Authorization: 'Bearer x' }, body: '{}' })).status,
    sandbox.MCP_URL,
  )
  assert.equal(status, 403)
})
