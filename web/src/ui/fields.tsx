import type { ReactNode } from 'react'
import { Checkbox, FieldError, Input, Label, Switch, Text, TextArea, TextField as AriaTextField, type TextFieldProps } from 'react-aria-components'

export interface Described {
  label: string
  hint?: ReactNode
  /** Hides the label from view, not from screen readers. */
  bare?: boolean
}

type TextProps = Omit<TextFieldProps, 'className' | 'children'> &
  Described & { error?: string; placeholder?: string; lines?: boolean }

export function TextField({ label, hint, bare, error, placeholder, lines, ...rest }: TextProps) {
  return (
    <AriaTextField {...rest} isInvalid={error !== undefined || rest.isInvalid === true} className="field">
      <Label className={bare ? 'visually-hidden' : 'label'}>{label}</Label>
      {lines ? <TextArea className="input" placeholder={placeholder} /> : <Input className="input" placeholder={placeholder} />}
      {hint && <Text slot="description" className="hint">{hint}</Text>}
      <FieldError className="error">{error}</FieldError>
    </AriaTextField>
  )
}

interface ToggleProps {
  label: string
  hint?: ReactNode
  isSelected: boolean
  onChange: (on: boolean) => void
  isDisabled?: boolean
}

export function SwitchField({ label, hint, ...rest }: ToggleProps) {
  return (
    <Switch {...rest} className="switch">
      <span className="track" />
      <span className="words">
        <span>{label}</span>
        {hint && <span className="muted">{hint}</span>}
      </span>
    </Switch>
  )
}

type CheckProps = Omit<ToggleProps, 'hint'> & { isIndeterminate?: boolean; bare?: boolean }

export function CheckField({ label, bare, ...rest }: CheckProps) {
  return (
    <Checkbox {...rest} className="check" aria-label={bare ? label : undefined}>
      {({ isSelected, isIndeterminate }) => (
        <>
          <span className="box">
            <svg width="12" height="12" viewBox="0 0 12 12" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden="true">
              {isIndeterminate ? <path d="M2.5 6h7" /> : isSelected && <path d="m2 6.3 2.6 2.6L10 3.4" />}
            </svg>
          </span>
          {!bare && <span>{label}</span>}
        </>
      )}
    </Checkbox>
  )
}
