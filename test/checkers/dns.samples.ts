import type { JsonObject } from '../../src/model.ts'

export const settings = (port: number): JsonObject => ({
  dns_name: 'example.test',
  nameserver: `tcp://127.0.0.1:${port}`,
})
