/** A machine that loses its own network blames nobody else for it (F7, G19). */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { childProgram, emptyFolder, refusalOf, startEngine } from './machine/child.ts'
import type { Said } from './machine/protocol.ts'

const TARGETS = 12
const PATIENCE = { timeout: 60_000, interval: 50 }

const program = childProgram('engine')

const idOf = ({ monitor }: Said): number => (monitor as { id: number }).id
const causeOf = ({ results }: Said) => (results as { cause_code: string | null }[])[0]?.cause_code

/** A round of the monitor in which the machine had time for the check: another one says nothing of any network. */
const isRound = (id: number) => (line: Said) =>
  line.kind === 'round' && idOf(line) === id && !BUSY.includes(String(causeOf(line)))
const BUSY = ['probe_overloaded', 'probe_no_report']

test('a network that goes away under twelve monitors makes none of them down', async (context) => {
  const refusal = refusalOf(`unshare -n ip link set lo up`)
  if (refusal !== undefined) context.skip(refusal)
  const anchor = 7
  const engine = await startEngine(
    program(),
    {
      file: join(emptyFolder(), 'watchpost.db'),
      engine: { anchors: [`127.0.0.1:${anchor}`], limits: { checksPerHost: 64 } },
      listen: [anchor],
    },
    { under: 'unshare -n sh -c "ip link set lo up && exec \\"\\$@\\"" sh' },
  )
  const port = await engine.tell<number>({ do: 'listen', port: 0 })
  const monitor = { type: 'tcp', host: '127.0.0.1', name: 'm', interval_sec: 1 }
  // A single failing check is enough for every other one.
  for (let n = 0; n < TARGETS; n++) {
    await engine.call('POST', '/monitors', { ...monitor, port, fail_threshold: 1 + (n % 2) })
  }
  // One that is down all the time: its checks keep asking whether there is a network.
  await engine.call('POST', '/monitors', { ...monitor, port: 9, fail_threshold: 1 })
  await engine.hears((line) => line.kind === 'down' && idOf(line) === TARGETS + 1)
  for (let id = 1; id <= TARGETS; id++) {
    await engine.hears((line) => line.kind === 'round' && idOf(line) === id)
  }

  const lost = engine.said.length
  await engine.tell({ do: 'shell', line: 'ip link set lo down' })
  await engine.hears(({ kind, online }) => kind === 'location' && online === false, lost)
  const { locations } = (await engine.call('GET', '/locations')).body
  expect(locations).toMatchObject([{ online: false }])
  const since = engine.said.length
  for (let id = 1; id <= TARGETS; id++) {
    const { results } = await engine.hears(isRound(id), since)
    expect(results).toMatchObject([{ verdict: 'unknown', cause_code: 'probe_offline' }])
  }
  // Whoever waits for the network holds no thread that files need.
  expect(await engine.tell<number>({ do: 'stat' })).toBeLessThan(1000)

  const found = engine.said.length
  await engine.tell({ do: 'shell', line: 'ip link set lo up' })
  await engine.hears(({ kind, online }) => kind === 'location' && online === true, found)
  const up = async (): Promise<number> => {
    const { body } = await engine.call('GET', '/monitors?status=up')
    return (body as { monitors: unknown[] }).monitors.length
  }
  await expect.poll(up, PATIENCE).toBe(TARGETS)
  expect(engine.said.slice(lost).filter(({ kind }) => kind === 'down')).toEqual([])

  await engine.tell({ do: 'unlisten', port })
  const down = () => engine.all('down').map(idOf)
  await expect.poll(down, PATIENCE).toHaveLength(TARGETS + 1)
  expect(await engine.end()).toBe(0)
})

test('a name server that is silent, fails, dawdles or lies makes none of twelve monitors down', async (context) => {
  const folder = emptyFolder()
  const resolv = join(folder, 'resolv.conf')
  writeFileSync(resolv, 'nameserver 127.0.0.1\n')
  const prepare = `ip link set lo up && mount --bind ${resolv} /etc/resolv.conf`
  const refusal = refusalOf(`unshare -n -m sh -c "${prepare}"`)
  if (refusal !== undefined) context.skip(refusal)
  const engine = await startEngine(
    program(),
    {
      file: join(folder, 'watchpost.db'),
      names: true,
      engine: { limits: { checksPerHost: 64 } },
    },
    { under: `unshare -n -m sh -c "${prepare} && exec \\"\\$@\\"" sh` },
  )
  const port = await engine.tell<number>({ do: 'listen', port: 0 })
  // A silent name server is given up after three quarters of the deadline: the rest has to be enough for a machine that is busy.
  const monitor = { type: 'tcp', port, interval_sec: 3, timeout_ms: 2900 }
  for (let n = 0; n < TARGETS; n++) {
    const host = `shop-${n}.example`
    await engine.call('POST', '/monitors', { ...monitor, name: host, host })
  }

  /** The verdicts of the first round that each monitor begins from now on. */
  async function verdicts(): Promise<ReadonlySet<unknown>> {
    const now = systemClock.now()
    const from = engine.said.length
    const found = new Set<unknown>()
    for (let id = 1; id <= TARGETS; id++) {
      const isNew = (line: Said) => isRound(id)(line) && startOf(line) >= now
      found.add(causeOf(await engine.hears(isNew, from)))
    }
    return found
  }

  expect(await verdicts()).toEqual(new Set([null]))
  for (const mood of ['silent', 'servfail', 'slow', 'wrong-id'] as const) {
    await engine.tell({ do: 'names', mood })
    expect(await verdicts(), mood).toEqual(new Set(['probe_resolver_broken']))
    // Whoever waits for a name holds no thread that files need.
    expect(await engine.tell<number>({ do: 'stat' })).toBeLessThan(1000)
    await engine.tell({ do: 'names', mood: 'well' })
    expect(await verdicts(), `after ${mood}`).toEqual(new Set([null]))
  }
  expect(engine.all('down')).toEqual([])
  expect(await engine.end()).toBe(0)
})

function startOf({ results }: Said): number {
  return Date.parse((results as { started_at: string }[])[0]?.started_at ?? '')
}
