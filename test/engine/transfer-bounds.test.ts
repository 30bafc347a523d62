/** Exports that somebody else wrote: no line of them keeps others from having a turn. */

import { randomUUID } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { memoryStore } from '../../src/store/memory.ts'
import { leastOf, measureTurns } from '../support/turns.ts'
import { rig } from './rig.ts'

const TURN_MS = 50
const AT = '2026-01-01T00:00:00.000Z'

const members = (count: number, value: string) =>
  `{${Array.from({ length: count }, (_, n) => `"k${n}":${value}`).join(',')}}`
const list = (count: number, item: string) => `[${Array(count).fill(item).join(',')}]`
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const monitor = (settings: string) =>
  `{"monitor":{"id":1,"type":"scripted","paused":true,"created_at":"${AT}","settings":${settings}}}`
const result = (details: string) =>
  `{"result":{"monitor":1,"location":1,"round":"${AT}","started_at":"${AT}","lag_ms":0,"duration_ms":1,"verdict":"ok",
    "cause_code":null,"cause_text":null,"phase":null,"phases":{},"remote_ip":null,"details":${details}}}`.replace(
    /\n\s*/,
    '',
  )

it.each([
  ['brackets', `{"monitor":${nested(500_000)}}`, 'too many values'],
  ['levels', `{"monitor":${nested(15_000)}}`, '0..100 levels'],
  ['members', monitor(members(70_000, '1')), 'too many values'],
  ['settings', monitor(members(10_000, '1')), '0..1000 entries'],
  ['headers', monitor(`{"headers":${members(10_000, '""')}}`), '0..1000 entries'],
  ['causes', `{"incident":{"causes":${list(300_000, '{}')}}}`, 'too many values'],
  ['locations', `{"incident":{"locations_failed":${list(30_000, '"a"')}}}`, '0..1000 entries'],
  ['buckets', `{"day":{"latency":${members(15_000, '1')}}}`, '0..1000 entries'],
  ['details', result(`{"x":"${'x'.repeat(65_536)}"}`), 'at most 64 KiB'],
  ['quotes', `{"monitor":"${'\\"'.repeat(500_000)}"}`, 'monitor: invalid'],
])('refuses too many or too long %s in short turns', async (_, line, problem) => {
  const { engine } = await rig({}, { store: memoryStore() })
  onTestFinished(() => engine.stop())
  const header = { format: 1, id: randomUUID(), watchpost: '0.1.0', at: AT, history: true }
  const first = JSON.stringify({ export: { ...header, secrets: 'left_out' } })
  const text = [first, monitor('{"host":"a.test"}'), line, '{"end":{"lines":4}}'].join('\n')
  async function* pieces() {
    for (let at = 0; at < text.length; at += 65_536) {
      await new Promise((resolve) => setImmediate(resolve))
      yield text.slice(at, at + 65_536)
    }
  }
  const refused = () => engine.import(pieces).catch((error: unknown) => String(error))
  const { value, longest_ms } = await leastOf(3, () => measureTurns(refused), TURN_MS)
  expect(value).toContain(problem)
  expect(longest_ms).toBeLessThan(TURN_MS)
})
