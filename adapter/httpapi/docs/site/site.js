'use strict'
// Search, copying and tabs of the documentation. Every page can be read without
// this script.

// Addresses of operations from before the reference had its own page.
if (location.pathname === '/docs' && /^#(api|toolserver)\//.test(location.hash)) {
  location.replace('/docs/reference' + location.hash)
}

/** Returns an element with properties and children. */
function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}

// A response is shown with one member in each line, and code with its comments,
// texts and keywords in colours. The text that is copied stays whole.
const marks = {
  sh: /(?<comment>(?:^|\s)#[^\n]*)|(?<text>"(?:\\.|[^"\\])*"|'[^']*')|(?<word>\b(?:for|in|do|done|while|if|then|fi|break|until|export|set)\b)/gm,
  ts: /(?<comment>\/\/[^\n]*)|(?<text>`[^`]*`|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?<word>\b(?:import|from|export|type|const|let|await|async|new|for|of|if|else|try|catch|throw|return|function|switch|case|default)\b)/g,
  python: /(?<comment>#[^\n]*)|(?<text>[bf]?"(?:\\.|[^"\\\n])*"|[bf]?'(?:\\.|[^'\\\n])*')|(?<word>\b(?:import|from|def|return|for|in|if|else|not|try|except|as|with|and|or|class|None|True|False)\b)/g,
  go: /(?<comment>\/\/[^\n]*)|(?<text>"(?:\\.|[^"\\\n])*"|`[^`]*`)|(?<word>\b(?:func|return|if|for|range|var|err|nil|package|import|type|struct|string|bool|byte)\b)/g,
  json: /(?<word>"(?:\\.|[^"\\])*"(?=\s*:))|(?<text>"(?:\\.|[^"\\])*")/g,
}
for (const code of document.querySelectorAll('article pre > code[class]')) {
  const language = code.className.replace('language-', '')
  if (language === 'json') {
    try { code.textContent = JSON.stringify(JSON.parse(code.textContent), null, 2) + '\n' } catch { /* it is shown as it is */ }
  }
  const text = code.textContent
  if (!marks[language]) continue
  const parts = []
  let last = 0
  for (const found of text.matchAll(marks[language])) {
    const [kind, part] = Object.entries(found.groups).find(([, value]) => value !== undefined)
    parts.push(text.slice(last, found.index), make('span', { className: `code-${kind}`, textContent: part }))
    last = found.index + part.length
  }
  code.replaceChildren(...parts, text.slice(last))
}

// A button copies the code of each block.
for (const block of document.querySelectorAll('article pre')) {
  const button = make('button', { type: 'button', textContent: 'Copy' })
  button.setAttribute('aria-label', 'Copy the code')
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(block.textContent)
      button.textContent = 'Copied'
    } catch {
      getSelection().selectAllChildren(block)
      button.textContent = 'Selected'
    }
    setTimeout(() => { button.textContent = 'Copy' }, 2000)
  })
  const frame = make('div', { className: 'code' })
  block.replaceWith(frame)
  frame.append(block, button)
}

// Blocks of code that follow each other directly become tabs, one for each
// language. The chosen language is kept for the other pages.
const languages = { sh: 'curl', ts: 'TypeScript', python: 'Python', go: 'Go' }
const outputs = ['json', 'text']
const languageOf = (frame) => /language-(\w+)/.exec(frame.querySelector('code')?.className ?? '')?.[1]
const stored = () => { try { return sessionStorage.getItem('language') } catch { return null } }
const groups = []
for (const first of document.querySelectorAll('.code')) {
  if (first.previousElementSibling?.classList.contains('code')) continue
  const frames = [first]
  for (let next = first.nextElementSibling; next?.classList.contains('code'); next = next.nextElementSibling) frames.push(next)
  // What the example prints comes after its languages and is shown for each of them.
  const end = frames.findIndex((frame) => outputs.includes(languageOf(frame)))
  if (end > 0) {
    frames[end].classList.add('output')
    frames.length = end
  }
  const names = frames.map(languageOf)
  if (frames.length < 2 || names.some((n) => !languages[n]) || new Set(names).size < names.length) continue
  const list = make('div', { className: 'tabs' })
  list.setAttribute('role', 'tablist')
  list.setAttribute('aria-label', 'Language')
  const tabs = names.map((n, i) => {
    const tab = make('button', { type: 'button', textContent: languages[n], id: `tab-${groups.length}-${n}` })
    tab.setAttribute('role', 'tab')
    frames[i].id = `panel-${groups.length}-${n}`
    frames[i].setAttribute('role', 'tabpanel')
    frames[i].setAttribute('aria-labelledby', tab.id)
    tab.setAttribute('aria-controls', frames[i].id)
    tab.addEventListener('click', () => choose(n))
    tab.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
      if (!step) return
      const next = (i + step + names.length) % names.length
      choose(names[next])
      tabs[next].focus()
    })
    return tab
  })
  list.append(...tabs)
  first.before(list)
  groups.push({ names, tabs, frames })
}
function choose(language) {
  try { sessionStorage.setItem('language', language) } catch { /* the choice is for this page only */ }
  for (const { names, tabs, frames } of groups) {
    const chosen = Math.max(0, names.indexOf(language))
    tabs.forEach((tab, i) => {
      tab.setAttribute('aria-selected', String(i === chosen))
      tab.tabIndex = i === chosen ? 0 : -1
      frames[i].hidden = i !== chosen
    })
  }
}
choose(stored())

// The search loads its index at the first use.
const box = document.querySelector('.search')
const input = document.getElementById('search')
const results = document.getElementById('results')
const status = document.getElementById('found')
let index
const load = () => { index ??= fetch('/docs/search.json').then((r) => r.json()) }
box.hidden = false
input.addEventListener('focus', load)
input.addEventListener('input', async () => {
  load()
  const asked = input.value
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean)
  let entries
  try { entries = await index } catch { index = undefined; status.textContent = 'The search is not available.'; return }
  if (asked !== input.value) return
  const hits = []
  for (const e of words.length ? entries : []) {
    const [title, page, text] = [e.t.toLowerCase(), e.p.toLowerCase(), e.x.toLowerCase()]
    let score = 0
    for (const w of words) {
      const one = (title.includes(w) ? 8 : 0) + (title.startsWith(w) ? 4 : 0) + (page.includes(w) ? 3 : 0) + (text.includes(w) ? 1 : 0)
      if (!one) { score = 0; break }
      score += one
    }
    if (score) hits.push([score + (e.p === 'Reference' ? 0 : 2), e])
  }
  hits.sort((a, b) => b[0] - a[0])
  results.replaceChildren(...hits.slice(0, 12).map(([, e]) => {
    const at = Math.max(0, e.x.toLowerCase().indexOf(words[0]) - 40)
    const where = e.p === e.t ? '' : e.p + ': '
    return make('li', {}, make('a', { href: e.a }, e.t, make('span', { textContent: where + (at > 0 ? '…' : '') + e.x.slice(at, at + 110) })))
  }))
  results.hidden = hits.length === 0
  status.textContent = words.length ? `${hits.length} results` : ''
  if (words.length && !hits.length) {
    results.replaceChildren(make('li', {}, make('span', { textContent: 'Nothing was found.' })))
    results.hidden = false
  }
})
box.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') { close(); input.focus(); return }
  const links = [...results.querySelectorAll('a')]
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (event.key === 'Enter' && event.target === input && links[0]) links[0].click()
  if (!step || !links.length) return
  event.preventDefault()
  const next = links.indexOf(document.activeElement) + step
  if (next < 0) input.focus()
  else links[Math.min(next, links.length - 1)].focus()
})
const close = () => { results.hidden = true }
results.addEventListener('click', close)
document.addEventListener('click', (event) => { if (!box.contains(event.target)) close() })
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && !event.ctrlKey && !event.metaKey && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
    event.preventDefault()
    input.focus()
  }
})
