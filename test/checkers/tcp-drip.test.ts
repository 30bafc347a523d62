import { expect, it, onTestFinished } from 'vitest'
import { tcp } from '../../src/checkers/tcp.ts'
import { runCheck } from '../../src/engine/checks/run-check.ts'
import { documentServer } from '../support/hostile-documents/server.ts'
import { measureCpu } from '../support/turns.ts'

/** Dear: a search of the whole takes milliseconds. */
const banner_regex = '(?:a|b)*a(?:a|b){60}[cd]{3}[yz]'

async function heard(banner: string) {
  const said = { says: [Buffer.from(banner)], greets: true, drips: true }
  const server = await documentServer(said)
  onTestFinished(() => server.close())
  const settings = { host: '127.0.0.1', port: server.port, banner_regex }
  // Each byte is waited for, some milliseconds where others run; for the deadline nobody waits.
  return measureCpu(() => runCheck(tcp(), settings, { timeout_ms: 300_000 }))
}

it('a banner that comes byte by byte is not searched again with every byte', async () => {
  const { value, cpu_ms } = await heard('ab'.repeat(1200))
  expect(value).toMatchObject({ verdict: 'fail', cause_code: 'banner_mismatch' })
  expect(cpu_ms).toBeLessThan(700)
})

it('a match is found wherever it comes, byte by byte', async () => {
  const { value } = await heard(`${'ab'.repeat(600)}${'a'.repeat(61)}cdcy more`)
  expect(value.verdict).toBe('ok')
})
