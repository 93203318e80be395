import type { ReactNode } from 'react'
import {
  Checkbox, ComboBox, FieldError, Input, Label, ListBox, ListBoxItem, Popover, Select, SelectValue, Switch, Text, TextArea,
  TextField as AriaTextField, Button, type TextFieldProps,
} from 'react-aria-components'

import { Icon } from './Icon'

interface Described {
  label: string
  hint?: ReactNode
  /** Hides the label from view, not from screen readers. */
  bare?: boolean
}

type TextProps = Omit<TextFieldProps, 'className' | 'children'> &
  Described & { error?: string; placeholder?: string; lines?: boolean; mono?: boolean }

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

export interface Option<Value extends string = string> {
  value: Value
  label: string
  detail?: string
}

interface ChoiceProps<Value extends string> extends Described {
  options: readonly Option<Value>[]
  value: Value | null
  onChange: (value: Value) => void
  isDisabled?: boolean
  placeholder?: string
}

export function SelectField<Value extends string>({ label, hint, bare, options, value, onChange, isDisabled, placeholder }: ChoiceProps<Value>) {
  return (
    <Select className="field" value={value} onChange={(key) => key !== null && onChange(String(key) as Value)} isDisabled={isDisabled} placeholder={placeholder}>
      <Label className={bare ? 'visually-hidden' : 'label'}>{label}</Label>
      <Button className="input select-button">
        <SelectValue />
        <Icon name="chevron" />
      </Button>
      {hint && <Text slot="description" className="hint">{hint}</Text>}
      <Popover className="popover">
        <ListBox className="options" items={options.map((o) => ({ ...o, id: o.value }))}>
          {(o) => <OptionRow {...o} />}
        </ListBox>
      </Popover>
    </Select>
  )
}

/** A choice among many values, found by typing. */
export function ComboField<Value extends string>({ label, hint, bare, options, value, onChange, isDisabled, placeholder }: ChoiceProps<Value>) {
  return (
    <ComboBox
      className="field"
      value={value}
      onChange={(key) => key !== null && onChange(String(key) as Value)}
      isDisabled={isDisabled}
      defaultItems={options.map((o) => ({ ...o, id: o.value }))}
      menuTrigger="focus"
    >
      <Label className={bare ? 'visually-hidden' : 'label'}>{label}</Label>
      <div className="combo">
        <Input className="input" placeholder={placeholder} />
        <Button>
          <Icon name="chevron" />
        </Button>
      </div>
      {hint && <Text slot="description" className="hint">{hint}</Text>}
      <Popover className="popover">
        <ListBox className="options">{(o: Option) => <OptionRow {...o} />}</ListBox>
      </Popover>
    </ComboBox>
  )
}

function OptionRow({ value, label, detail }: Option) {
  return (
    <ListBoxItem id={value} textValue={detail ? `${label} ${detail}` : label} className="option">
      <Text slot="label">{label}</Text>
      {detail && <span className="detail">{detail}</span>}
    </ListBoxItem>
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
