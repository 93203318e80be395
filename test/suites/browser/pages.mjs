// What is true of every page: accessible, not too wide, and its texts are in the catalogue.
import assert from 'node:assert/strict'

import { assertAccessible, openApp, settled } from './web.mjs'
import { picture } from './world.mjs'

export const views = {
  desktop: { viewport: { width: 1360, height: 860 }, colorScheme: 'light' },
  'desktop-dark': { viewport: { width: 1360, height: 860 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light', hasTouch: true },
  'phone-dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true },
}

// A tablet, half of a wide screen, and a small screen.
const widths = [768, 834, 1024, 1240]

/** Asserts that at widths between phone and desktop nothing that people use is cut off at the right edge. */
async function assertFits(page, name) {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 860 })
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    await picture(page, `web-${width}-${name}`)
    assert.deepEqual(await page.evaluate(outside), [], `${name}: outside of a window with ${width} pixels`)
  }
  await page.setViewportSize(views.desktop.viewport)
}

/** The headings, links, buttons and fields right of the window, other than in a part that scrolls sideways. Runs in the page. */
function outside() {
  const scrolls = (element) => element && element.id !== 'main' &&
    (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement))
  return [...document.querySelectorAll('h1, h2, h3, a, button, input, select, textarea, td, dd, .tag')]
    .filter((element) => {
      const { right, width } = element.getBoundingClientRect()
      return width > 1 && right > innerWidth + 1 && element.checkVisibility() && !scrolls(element.parentElement)
    })
    .map((element) => element.outerHTML.slice(0, 120))
}

/** Looks at each page in each view. The keys of pages name the pictures. */
export async function checkPages(t, { newContext, sandbox, pages }) {
  for (const [view, options] of Object.entries(views)) {
    await t.test(`every page is accessible and fits: ${view}`, async () => {
      const own = await newContext(options)
      const signInPage = await own.newPage()
      await signInPage.goto(`${sandbox.BASE_URL}/sign-in`)
      await signInPage.getByLabel('E-mail').waitFor()
      await assertAccessible(signInPage, 'sign-in')
      await picture(signInPage, `web-${view}-sign-in`)
      const viewed = await openApp(own, sandbox)
      for (const [name, path] of Object.entries(pages)) {
        await viewed.goto(sandbox.BASE_URL + path)
        await settled(viewed)
        const wide = await viewed.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
        assert.ok(wide <= 0, `${name} is ${wide} pixels too wide`)
        await picture(viewed, `web-${view}-${name}`)
        await assertAccessible(viewed, name)
        if (view === 'desktop') {
          await assertFits(viewed, name)
        }
      }
      await own.close()
    })
  }

  await t.test('every text is in the catalogue', async () => {
    const own = await newContext()
    await own.addInitScript(() => location.protocol === 'http:' && sessionStorage.setItem('docledger.pseudo', 'on'))
    const data = new Set()
    own.on('response', async (response) => {
      if (response.url().includes('/api/') && response.headers()['content-type']?.includes('json')) {
        JSON.stringify(await response.json().catch(() => null), (_, value) => {
          if (typeof value === 'string') {
            data.add(value)
          }
          return value
        })
      }
    })
    const pseudo = await own.newPage()
    await pseudo.goto(`${sandbox.BASE_URL}/sign-in`)
    await pseudo.locator('input[type=email]').fill(sandbox.LOGIN_EMAIL)
    await pseudo.locator('input[type=password]').fill(sandbox.LOGIN_PASSWORD)
    await pseudo.keyboard.press('Enter')
    await pseudo.waitForURL((url) => url.pathname === '/')
    for (const [name, path] of Object.entries(pages)) {
      await pseudo.goto(sandbox.BASE_URL + path)
      await pseudo.waitForLoadState('networkidle')
      const texts = await pseudo.evaluate(() => {
        const found = []
        const walker = document.createTreeWalker(document.getElementById('root'), NodeFilter.SHOW_TEXT)
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          // Keys have the names that are printed on them.
          if (!node.parentElement.closest('kbd, code, time')) {
            found.push(node.textContent.trim())
          }
        }
        return found
      })
      const known = [...data].filter((d) => d.length > 1).sort((a, b) => b.length - a.length)
      const outside = texts.filter((text) => {
        let rest = text
        for (const value of known) {
          rest = rest.replaceAll(value, '')
        }
        // Dates, units and single letters are not sentences.
        rest = rest.replace(/\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|kB|MB|ago|in|minutes?|hours?|this)\b/g, '')
        return /[a-z]{3}/.test(rest)
      })
      assert.deepEqual(outside, [], `${name}: texts outside the catalogue`)
    }
    await own.close()
  })
}
