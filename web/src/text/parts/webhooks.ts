import { webhooks } from '../en/webhooks'
import { addMessages } from '../messages'

addMessages(webhooks)
