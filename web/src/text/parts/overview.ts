import { overview } from '../en/overview'
import { addMessages } from '../messages'

addMessages(overview)
