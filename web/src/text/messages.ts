import { common } from './en/common'
import { inbox } from './en/inbox'
import { review } from './en/review'
import { documents } from './en/documents'
import { shell } from './en/shell'
import { values } from './en/values'

export const messages = { ...common, ...shell, ...inbox, ...documents, ...review, ...values } as const
