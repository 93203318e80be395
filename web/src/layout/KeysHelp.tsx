import { useState } from 'react'

import '@/text/parts/keys'
import { t, type MessageKey } from '@/text/text'
import { SwitchField } from '@/ui/fields'
import { Dialog } from '@/ui/overlays'

import { setPreference, usePreferences } from './preferences'
import { useKeys } from './useKeys'

const groups: [MessageKey, [string, MessageKey][]][] = [
  ['keys.list', [
    ['J', 'keys.next'], ['K', 'keys.previous'], ['X', 'keys.select'], ['↵', 'keys.open'], ['Space', 'keys.preview'], ['M', 'keys.assign'], ['N', 'keys.note'], ['/', 'keys.search'], ['?', 'keys.help'],
  ]],
  ['keys.review', [
    ['↵', 'keys.confirm'], ['Alt 1–3', 'keys.alternative'], ['Ctrl ↵', 'keys.approve'], ['Esc', 'keys.leave'], ['J', 'keys.next'], ['K', 'keys.previous'],
    ['R', 'keys.reject'], ['M', 'keys.assign'], ['N', 'keys.note'],
  ]],
]

/** The list of keys, which ? shows. Letter keys can be switched off here. */
export function KeysHelp() {
  const [open, setOpen] = useState(false)
  const { letterKeys } = usePreferences()
  useKeys({ '?': () => setOpen(true) })
  return (
    <Dialog title={t('keys.title')} isOpen={open} onClose={() => setOpen(false)} wide>
      <div className="form">
        {groups.map(([title, keys]) => (
          <div key={title} className="stack">
            <h3>{t(title)}</h3>
            <dl className="facts">
              {keys.map(([key, text]) => (
                <div key={key} style={{ display: 'contents' }}>
                  <dt><kbd>{key}</kbd></dt>
                  <dd>{t(text)}</dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
      </div>
      <SwitchField label={t('keys.letters')} hint={t('keys.letters.hint')} isSelected={letterKeys} onChange={(on) => setPreference('letterKeys', on)} />
    </Dialog>
  )
}
