import { useEffect, useRef, useState } from 'react'
import { Input, SearchField } from 'react-aria-components'

import { useKeys } from '@/layout/useKeys'

import { Icon } from './Icon'

const typingPauseMs = 250

/** A search that `/` focuses. It reports what is typed after a short pause. */
export function SearchInput({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  useEffect(() => {
    if (typed !== value) {
      const timer = setTimeout(() => onChange(typed), typingPauseMs)
      return () => clearTimeout(timer)
    }
    return undefined
  }, [typed, value, onChange])
  useKeys({ '/': () => input.current?.focus() })
  return (
    <SearchField aria-label={label} value={typed} onChange={setTyped} className="search" onClear={() => onChange('')}>
      <Icon name="search" />
      <Input ref={input} className="input" placeholder={label} />
    </SearchField>
  )
}
