import type { JsonObject } from '../../src/model.ts'

// Without a banner to wait for, a silent server is a good one.
export const settings = (port: number): JsonObject => ({
  host: '127.0.0.1',
  port,
  banner_regex: 'ready',
})
