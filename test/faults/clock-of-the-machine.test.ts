/** The clock of a real process, set by libfaketime while its engine works (F6). */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { childProgram, emptyFolder, startEngine } from './machine/child.ts'
import type { EngineChild } from './machine/child.ts'
import type { Said } from './machine/protocol.ts'
import { startReceiver } from './machine/receiver.ts'

const LIBRARY = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
].find((path) => existsSync(path))
const MISSING = 'libfaketime is not installed; apt-get install faketime'

const MONITORS = 5
/** How long each clock is looked at; the interval of the monitors is a second. */
const WINDOW_MS = 8000

const program = childProgram('engine')

const idOf = ({ monitor }: Said): number => (monitor as { id: number }).id

/** libfaketime reads the file once a second; timers stay those of the machine. */
function fakeClock(said: string) {
  const file = join(emptyFolder(), 'clock')
  const set = (text: string): void => writeFileSync(file, `${text}\n`)
  set(said)
  const env = {
    LD_PRELOAD: LIBRARY ?? '',
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  }
  return { set, env }
}

/** Rounds of each monitor from now on, and how long that was. */
async function countRounds(engine: EngineChild) {
  const from = engine.said.length
  const began = systemClock.monotonic()
  await systemClock.sleep(WINDOW_MS)
  // A machine that is busy with something else may need longer for two of each.
  for (let id = 1; id <= MONITORS; id++) {
    const isRound = (line: Said) => line.kind === 'round' && idOf(line) === id
    const first = engine.said.indexOf(await engine.hears(isRound, from))
    await engine.hears(isRound, first + 1)
  }
  const seconds = (systemClock.monotonic() - began) / 1000
  const rounds = engine.said.slice(from).filter(({ kind }) => kind === 'round')
  const counts = Array.from(
    { length: MONITORS },
    (_, n) => rounds.filter((line) => idOf(line) === n + 1).length,
  )
  return { counts, seconds }
}

interface Mode {
  readonly name: string
  readonly before: string
  readonly after: string
  /** Seconds of that clock in one of the machine. */
  readonly speed: number
}

const MODES: readonly Mode[] = [
  { name: 'an hour forward', before: '+0', after: '+3600', speed: 1 },
  { name: 'an hour back', before: '+0', after: '-3600', speed: 1 },
  { name: 'a day forward', before: '+0', after: '+86400', speed: 1 },
  { name: 'to twice its speed', before: '+0', after: '+0 x2', speed: 2 },
  { name: 'after it stood still', before: '2026-03-01 12:00:00', after: '+0', speed: 1 },
]

async function live({ before, after }: Mode) {
  const { set, env } = fakeClock(before)
  const receiver = await startReceiver()
  const file = join(emptyFolder(), 'watchpost.db')
  const engine = await startEngine(program(), { file }, { env })
  const contact = { kind: 'webhook', name: 'w', url: receiver.url, all_monitors: true }
  await engine.tell({ do: 'contact', input: contact })
  const port = await engine.tell<number>({ do: 'listen', port: 0 })
  const monitor = { type: 'tcp', host: '127.0.0.1', port, interval_sec: 1, name: 'm' }
  for (let n = 0; n < MONITORS; n++) await engine.call('POST', '/monitors', monitor)
  for (let id = 1; id <= MONITORS; id++) await engine.call('POST', `/monitors/${id}/check`)
  set(after)
  const counted = await countRounds(engine)
  const early = receiver.received.length
  await engine.tell({ do: 'unlisten', port })
  const told = () => receiver.received.map(({ event }) => event)
  await expect.poll(told).toHaveLength(MONITORS)
  const code = await engine.end()
  return { engine, ...counted, early, told: told(), code }
}

test.skipIf(LIBRARY === undefined)(
  `a clock that is set, or runs wrong, under a process: every monitor goes on, none in a burst, nobody is told${LIBRARY === undefined ? ` (${MISSING})` : ''}`,
  async () => {
    const lives = await Promise.all(MODES.map(live))
    for (const [index, { engine, counts, seconds, early, told, code }] of lives.entries()) {
      const { name, speed } = MODES[index] as Mode
      // How many exactly is for the simulated clock; here the machine may be busy with something else.
      expect(Math.min(...counts), name).toBeGreaterThan(1)
      expect(Math.max(...counts), name).toBeLessThanOrEqual(seconds * speed + 3)
      expect(early, name).toBe(0)
      expect(told, name).toEqual(Array(MONITORS).fill('down'))
      for (const { results } of engine.all('round')) {
        for (const { duration_ms } of results as { duration_ms: number }[]) {
          expect(duration_ms, name).toBeGreaterThanOrEqual(0)
        }
      }
      expect(engine.all('error'), name).toEqual([])
      expect(code, name).toBe(0)
    }
  },
)
