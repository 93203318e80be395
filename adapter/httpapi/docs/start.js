// Everything that would ask another host is switched off: the page works
// offline and tells nobody what is read on it.
Scalar.createApiReference('#reference', {
  sources: [
    { title: 'API', slug: 'api', url: '/openapi/docledger.json', default: true },
    { title: 'Tool server', slug: 'toolserver', url: '/openapi/toolserver.json' },
  ],
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  proxyUrl: '',
  showDeveloperTools: 'never',
  hideClientButton: true,
  documentDownloadType: 'direct',
  authentication: { preferredSecurityScheme: 'bearerAuth' },
})
