import { describe, expect, it } from 'vitest'
import { commandLine } from '../support/command-line.ts'

const watchpost = commandLine()
const TOKEN = 'a-token-of-prometheus'

describe('metrics of serve', () => {
  it('are read with the key or with the token, by nobody else', async () => {
    const server = await watchpost.serve({ env: { WATCHPOST_METRICS_TOKEN: TOKEN } })
    const asked = (key: string) =>
      fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${key}` } })
    for (const key of [TOKEN, server.key]) {
      const response = await asked(key)
      expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
      const text = await response.text()
      expect(text).toContain('watchpost_engine_running 1')
      expect(text).toContain('process_resident_memory_bytes')
    }
    expect((await asked('another-token-of-somebody')).status).toBe(401)
    expect((await fetch(`${server.url}/metrics`)).status).toBe(401)
  })

  it('take no token that is short, and do not repeat it', async () => {
    const env = { WATCHPOST_METRICS_TOKEN: 'short' }
    const { code, stderr } = await watchpost.run(['serve'], { env })
    expect(code).toBe(64)
    expect(stderr).toContain('WATCHPOST_METRICS_TOKEN: 16 to 512 characters')
    expect(stderr).not.toContain('"short"')
  })
})
