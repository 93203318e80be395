import { fileURLToPath } from 'node:url'

import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Examples import the package by its name.
  resolve: { alias: { '@docledger/client': fileURLToPath(new URL('../../gen/typescript/src/index.ts', import.meta.url)) } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/sandbox.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The machine's cores are the sandbox's too.
    maxWorkers: 2,
    minWorkers: 1,
  },
})
