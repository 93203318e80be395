export const setup = {
  'setup.title': 'Set up docledger',
  'setup.lead': 'This installation has no user yet. You create the first organization and become its administrator. You can add entities, ledgers and further members afterwards.',
  'setup.code': 'Setup code',
  'setup.code.hint': 'The service prints it in its log when it starts. It ends with the first user.',
  'setup.organization': 'Organization',
  'setup.name': 'Your name',
  'setup.password.hint': 'At least {count} characters.',
  'setup.submit': 'Create and sign in',
  'setup.working': 'Creating …',
  'setup.failed': 'The setup code is wrong, or somebody has created the first user already.',
} as const
