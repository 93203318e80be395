import { documents } from '../en/documents'
import { addMessages } from '../messages'

addMessages(documents)
