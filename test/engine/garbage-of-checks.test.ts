/**
 * What checks leave for a full collection of garbage. A young collection frees what a check has made, unless a
 * long-lived object refers to it; all collections of an engine cost several times as much then.
 */

import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished } from 'vitest'
import { inFlight } from '../../bench/harness/benchmark.ts'
import { checkOf } from '../../bench/subjects/checking.ts'
import { http } from '../../src/checkers/http/index.ts'
import { tcp } from '../../src/checkers/tcp.ts'
import { documentServer } from '../support/hostile-documents/server.ts'

const WARMING = 1500
const CHECKS = 200
const ROUNDS = 9

/** A check that is kept as a whole takes 7,000 to 25,000; a socket of Node 24 alone takes 1,000. */
const MOST_BYTES = 5500

const PAGE = Buffer.from(
  'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nHi',
)

type CheckOn = (port: number) => () => Promise<void>

const urlOf = (port: number): string => `http://127.0.0.1:${port}/`

const CASES: readonly (readonly [string, CheckOn])[] = [
  ['tcp', (port) => checkOf(tcp(), { host: '127.0.0.1', port })],
  ['http', (port) => checkOf(http(), { url: urlOf(port) })],
  [
    'http with rules for the text',
    (port) =>
      checkOf(http(), { url: urlOf(port), keyword_present: 'Hi', keyword_absent_regex: 'Ho+' }),
  ],
]

it.each(CASES)('%s: a few kilobytes of each', async (_, checkOn) => {
  const server = await documentServer({ says: [PAGE] })
  onTestFinished(() => server.close())
  const check = checkOn(server.port)
  const collect = collector()
  await inFlight(WARMING, 16, check)
  collect()
  const kept: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = youngCollected(collect)
    await inFlight(CHECKS, 16, check)
    kept.push((youngCollected(collect) - before) / CHECKS)
  }
  expect(kept.toSorted((a, b) => a - b)[(ROUNDS - 1) / 2]).toBeLessThan(MOST_BYTES)
})

type Collect = (options?: { readonly type: 'minor' }) => void

function collector(): Collect {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as Collect
}

/** Bytes of the heap that two young collections leave. */
function youngCollected(collect: Collect): number {
  for (let times = 0; times < 2; times++) collect({ type: 'minor' })
  return getHeapStatistics().used_heap_size
}
