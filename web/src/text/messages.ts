import { common } from './en/common'
import { shell } from './en/shell'
import { values } from './en/values'

export const messages = { ...common, ...shell, ...values } as const
