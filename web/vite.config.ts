import { fileURLToPath } from 'node:url'

import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

// BACKEND is the service that the development server forwards API calls to.
const backend = process.env.BACKEND ?? 'http://127.0.0.1:8080'

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { '@docledger/client': path('../gen/typescript/src/index.ts'), '@': path('./src') } },
  build: {
    outDir: path('../adapter/webapp/dist'),
    emptyOutDir: false, // the folder has a committed file; scripts/finish.mjs removes old assets
    manifest: 'manifest.json',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': backend, '/docs': backend } },
})
