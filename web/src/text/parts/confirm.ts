import { confirm } from '../en/confirm'
import { addMessages } from '../messages'

addMessages(confirm)
