import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Many tests wait for a real deadline; two would leave the machine idle.
    maxWorkers: 4,
  },
})
