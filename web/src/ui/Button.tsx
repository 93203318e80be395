import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components'

import { Icon, type IconName } from './Icon'

type Look = 'primary' | 'plain' | 'quiet' | 'danger'

interface Common {
  look?: Look
  small?: boolean
  icon?: IconName
  /** The name of a button that shows only its icon. */
  label?: string
  children?: ReactNode
}

type Props = Omit<AriaButtonProps, 'children' | 'className'> & Common

const classOf = ({ look = 'plain', small, children }: Common) =>
  `button ${look}${small ? ' small' : ''}${children === undefined ? ' icon' : ''}`

export function Button({ look, small, icon, label, children, ...rest }: Props) {
  return (
    <AriaButton {...rest} aria-label={rest['aria-label'] ?? (children === undefined ? label : undefined)} className={classOf({ look, small, children })}>
      {icon && <Icon name={icon} />}
      {children}
    </AriaButton>
  )
}

/** A link of the application that looks like a button. */
export function ButtonLink({ to, look, small, icon, children }: { to: string } & Common) {
  return (
    <Link to={to} className={classOf({ look, small, children })}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  )
}
