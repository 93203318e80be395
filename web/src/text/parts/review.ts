import { review } from '../en/review'
import { addMessages } from '../messages'

addMessages(review)
