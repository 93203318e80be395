import { suppliers } from '../en/suppliers'
import { addMessages } from '../messages'

addMessages(suppliers)
