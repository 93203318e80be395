// Choices among values. They are apart from the other fields, because the first page needs none.
import { Button, ComboBox, Input, Label, ListBox, ListBoxItem, Popover, Radio, RadioGroup, Select, SelectValue, Text } from 'react-aria-components'

import type { Described } from './fields'
import { Icon } from './Icon'

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
          {(o) => <OptionRow option={o} />}
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
        <ListBox className="options">{(o: Option) => <OptionRow option={o} />}</ListBox>
      </Popover>
    </ComboBox>
  )
}

/** A choice among few values that are all in view. */
export function RadioField<Value extends string>({ label, options, value, onChange, isDisabled }: ChoiceProps<Value>) {
  return (
    <RadioGroup className="field" value={value} onChange={(chosen) => onChange(chosen as Value)} isDisabled={isDisabled}>
      <Label className="label">{label}</Label>
      <div className="panel choices">
        {options.map((o) => (
          <Radio key={o.value} value={o.value} className="choice">
            <span className="dot" />
            <span className="grow">{o.label}</span>
            {o.detail && <span className="muted">{o.detail}</span>}
          </Radio>
        ))}
      </div>
    </RadioGroup>
  )
}

function OptionRow({ option: { value, label, detail } }: { option: Option }) {
  return (
    <ListBoxItem id={value} textValue={detail ? `${label} ${detail}` : label} className="option">
      <Text slot="label">{label}</Text>
      {detail && <span className="detail">{detail}</span>}
    </ListBoxItem>
  )
}
