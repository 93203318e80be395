import { setup } from '../en/setup'
import { addMessages } from '../messages'

addMessages(setup)
