import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A second, by default, is no time on a machine that is busy.
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    // Many tests wait for a real deadline; two would leave the machine idle.
    maxWorkers: 4,
  },
})
