import { keys } from '../en/keys'
import { addMessages } from '../messages'

addMessages(keys)
