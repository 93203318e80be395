// The pages of the documentation as a person finds them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { picture, signIn, startBrowser, startSandbox, watch } from './world.mjs'

const methods = ['get', 'put', 'post', 'delete', 'patch']

/** The operations of a specification that the sandbox serves. */
async function operations(origin, name) {
  const spec = await (await fetch(`${origin}/openapi/${name}.json`)).json()
  return Object.entries(spec.paths ?? {}).flatMap(([path, item]) =>
    methods.filter((m) => item[m]).map((m) => ({ method: m.toUpperCase(), path, ...item[m] })),
  )
}

const open = async (page, origin, fragment = '') => {
  await page.goto('about:blank') // another fragment alone would leave the page as it is
  await page.goto(`${origin}/docs/reference${fragment}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
}

/** Opens every group of the side bar. */
async function openGroups(page, tags) {
  const bar = page.getByRole('navigation').first()
  for (const tag of tags) {
    const group = bar.getByRole('button', { name: new RegExp(`^${tag}\\s*(Open|Close) Group`) })
    await group.waitFor()
    if (/Open Group/.test(await group.textContent())) {
      await group.click()
    }
  }
  return bar
}

test('the pages of the documentation', async (t) => {
  const sandbox = await startSandbox(t)
  const origin = sandbox.BASE_URL
  const browser = await startBrowser(t)
  const context = await browser.newContext({ viewport: { width: 1400, height: 1000 } })
  context.setDefaultTimeout(60_000) // for busy machines
  const page = await context.newPage()
  const wrong = watch(page, origin)

  const specs = ['backend', 'integrations', 'billing', 'webhooks', 'toolserver']
  const found = new Set()
  for (const [slug, document] of Object.entries({ api: 'docledger', toolserver: 'toolserver' })) {
    await t.test(`${slug}: the side bar lists every operation and shows the selected one`, async () => {
      await open(page, origin)
      if (slug === 'toolserver') {
        await page.getByRole('button', { name: 'API', exact: true }).first().click()
        await page.getByRole('option', { name: 'Tool server' }).click()
      }
      const all = await operations(origin, document)
      const bar = await openGroups(page, new Set(all.map((o) => o.tags[0])))
      for (const { method, path, summary, tags } of all) {
        const short = method === 'DELETE' ? 'DEL' : method
        await bar.getByRole('button', { name: `${summary} HTTP Method: ${short}`, exact: true }).click()
        const section = page.locator(`[id="${slug}/tag/${tags[0].toLowerCase().replaceAll(' ', '-')}/${method}${path}"]`)
        await section.getByRole('heading', { name: summary }).first().waitFor()
        await section.getByText(path, { exact: true }).first().waitFor()
        found.add(`${method} ${path}`)
      }
      await picture(page, `docs-${slug}`)
    })
  }

  await t.test('they are the operations of every specification', async () => {
    const all = (await Promise.all(specs.map((name) => operations(origin, name)))).flat()
    assert.deepEqual([...found].sort(), all.map((o) => `${o.method} ${o.path}`).sort())
  })

  await t.test('a request can be tried out with a token', async () => {
    const token = await signIn(sandbox)
    await open(page, origin, '#api/tag/account/GET/api/me')
    await page.getByRole('textbox', { name: 'Bearer Token' }).fill(token)
    await page.locator('button', { hasText: '(get /api/me)' }).click()
    const answer = page.waitForResponse(origin + '/api/me')
    await page.locator('button:visible', { hasText: /^\s*Send/ }).first().click()
    assert.equal((await answer).status(), 200)
    await page.getByText('200 OK').waitFor()
    await page.getByText(`"${sandbox.LOGIN_EMAIL}"`).first().waitFor()
    await picture(page, 'docs-tried')
  })

  await t.test('a change can be tried out with the example', async () => {
    const token = await signIn(sandbox)
    await open(page, origin, '#api/tag/entities/POST/api/entities')
    await page.getByRole('textbox', { name: 'Bearer Token' }).fill(token)
    await page.locator('button', { hasText: '(post /api/entities)' }).click()
    const answer = page.waitForResponse(origin + '/api/entities')
    await page.locator('button:visible', { hasText: /^\s*Send/ }).first().click()
    assert.equal((await answer).status(), 200)
    await page.getByText('200 OK').waitFor()
    await picture(page, 'docs-changed')
  })

  await t.test('a file can be uploaded', async () => {
    const token = await signIn(sandbox)
    await open(page, origin, '#api/tag/documents/POST/api/documents/upload')
    await page.getByRole('textbox', { name: 'Bearer Token' }).fill(token)
    await page.locator('button', { hasText: '(post /api/documents/upload)' }).click()
    const body = page.getByRole('region', { name: 'Request Body' })
    await body.getByRole('button', { name: 'JSON', exact: true }).click()
    await page.getByRole('option', { name: 'Multipart Form' }).click()
    const entity = body.getByRole('textbox').nth(1) // after entity_id
    await entity.getByText('01936b1e').waitFor() // the example
    await entity.press('ControlOrMeta+a')
    await page.keyboard.insertText(sandbox.ENTITY_ID)
    const chooser = page.waitForEvent('filechooser')
    await body.getByRole('button', { name: 'Select File' }).nth(1).click() // of file
    await (await chooser).setFiles(fileURLToPath(new URL('../../../examples/invoice-ubl.xml', import.meta.url)))
    // The viewer has taken both in once they stand in the command that it shows.
    await page.getByRole('button', { name: /^Code Snippet/ }).click()
    const command = page.getByRole('region', { name: /^Code Snippet/ })
    await command.filter({ hasText: `entity_id=${sandbox.ENTITY_ID}'` }).filter({ hasText: 'file=@invoice-ubl.xml' }).waitFor()
    const answer = page.waitForResponse(origin + '/api/documents/upload')
    await page.locator('button:visible', { hasText: /^\s*Send/ }).first().click()
    assert.equal((await (await answer).json()).filename, 'invoice-ubl.xml')
    await page.getByText('200 OK').waitFor()
    await picture(page, 'docs-uploaded')
  })

  await t.test('every code of an error is explained, and the reference leads there', async () => {
    await open(page, origin)
    await page.getByRole('link', { name: 'error codes' }).first().click()
    await page.waitForURL(origin + '/docs/errors')
    const spec = await (await fetch(origin + '/openapi/common.json')).json()
    const codes = spec.components.schemas.ErrorCode['x-extensible-enum']
    const shown = await page.getByRole('heading', { level: 2 }).locator('code').allTextContents()
    assert.deepEqual(shown, codes)
    for (const code of codes) {
      await page.goto(`${origin}/docs/errors#${code}`)
      const box = await page.locator(`#${code}`).boundingBox()
      assert.ok(box.y >= 0 && box.y < 1000, `${code} is not in sight at its own address`)
    }
    await picture(page, 'errors')
  })

  await t.test('an example has a tab for each language, and the choice is kept', async () => {
    await page.goto(origin + '/docs/uploads')
    const tab = (name) => page.getByRole('tab', { name }).first()
    await tab('Python').click()
    await page.getByText('api.upload(io.BytesIO(content)').first().waitFor()
    assert.equal(await page.locator('code.language-sh:visible').count(), 0)
    await page.getByText('"filename": "second.xml"').first().waitFor() // the response belongs to each language
    await page.keyboard.press('ArrowLeft')
    assert.equal(await tab('TypeScript').getAttribute('aria-selected'), 'true')
    await page.goto(origin + '/docs/review')
    assert.equal(await tab('TypeScript').getAttribute('aria-selected'), 'true')
    await picture(page, 'docs-tabs')
  })

  await t.test('every page fits its window, light and dark', async () => {
    const listed = [...(await (await fetch(origin + '/llms.txt')).text()).matchAll(/\]\((\/docs[^)]*)\.md\)/g)].map((m) => (m[1] === '/docs/index' ? '/docs' : m[1]))
    assert.ok(listed.length > 25, listed.join())
    for (const [colorScheme, width] of [['light', 390], ['dark', 1280]]) {
      const other = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
      const at = await other.newPage()
      for (const path of new Set(listed)) {
        await at.goto(origin + path)
        await at.getByRole('heading', { level: 1 }).first().waitFor()
        const wide = await at.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
        assert.ok(wide <= 0, `${path} is ${wide} pixels too wide at ${width}`)
        await picture(at, `docs-${colorScheme}${path.replaceAll('/', '-')}`)
      }
      await other.close()
    }
  })

  await t.test('in the dark and on a telephone', async () => {
    const phone = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
    const small = await phone.newPage()
    const smallWrong = watch(small, origin)
    for (const path of ['/docs/reference', '/docs', '/docs/quick-start', '/docs/errors']) {
      await small.goto(origin + path)
      await small.getByRole('heading', { level: 1 }).first().waitFor()
      const wide = await small.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      assert.ok(wide <= 0, `${path} is ${wide} pixels too wide`)
      const background = await small.evaluate(() => getComputedStyle(document.body).backgroundColor)
      const [red] = background.match(/\d+/)
      assert.ok(Number(red) < 64, `${path} has the background ${background} in the dark`)
      await picture(small, `small${path.replaceAll('/', '-')}`)
    }
    assert.deepEqual(smallWrong, [])
    await phone.close()
  })

  assert.deepEqual(wrong, [])
})
