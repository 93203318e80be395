import { integrations } from '../en/integrations'
import { addMessages } from '../messages'

addMessages(integrations)
