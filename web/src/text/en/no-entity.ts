export const noEntity = {
  'entity.none': 'There is no active entity',
  'entity.none.text': 'Every document belongs to an entity, a company that receives invoices.',
  'entity.none.ask': 'An administrator adds entities, and gives people access to them.',
  'entity.none.open': 'Open entities',
} as const
