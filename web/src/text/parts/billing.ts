import { billing } from '../en/billing'
import { addMessages } from '../messages'

addMessages(billing)
