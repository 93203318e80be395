import { administration } from '../en/administration'
import { addMessages } from '../messages'

addMessages(administration)
