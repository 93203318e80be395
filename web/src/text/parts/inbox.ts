import { inbox } from '../en/inbox'
import { addMessages } from '../messages'

addMessages(inbox)
