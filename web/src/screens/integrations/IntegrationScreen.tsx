export function IntegrationScreen() { return null }
