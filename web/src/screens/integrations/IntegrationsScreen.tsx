export function IntegrationsScreen() { return null }
