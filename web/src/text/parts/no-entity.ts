import { noEntity } from '../en/no-entity'
import { addMessages } from '../messages'

addMessages(noEntity)
