/** A process that runs out of what the machine lends it (F9). */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { childProgram, emptyFolder, refusalOf, startEngine } from './machine/child.ts'
import type { EngineChild } from './machine/child.ts'
import type { Said } from './machine/protocol.ts'
import { startReceiver } from './machine/receiver.ts'

const PATIENCE = { timeout: 60_000, interval: 50 }

const program = childProgram('engine')

const idOf = ({ monitor }: Said): number => (monitor as { id: number }).id

/** What the next round of each monitor finds that begins from now on. */
async function findings(engine: EngineChild, ids: readonly number[]): Promise<unknown[]> {
  const from = engine.said.length
  const found: unknown[] = []
  for (const id of ids) {
    const round = (line: Said) => line.kind === 'round' && idOf(line) === id
    // The first one may have been under way before.
    const first = engine.said.indexOf(await engine.hears(round, from))
    const { results } = await engine.hears(round, first + 1)
    found.push((results as { cause_code: string | null }[])[0]?.cause_code)
  }
  return found
}

test('that may open no more files is unknown to itself, blames nobody, and goes on once it may', async (context) => {
  const refusal = refusalOf('prlimit --nofile=64 true')
  if (refusal !== undefined) context.skip(refusal)
  const receiver = await startReceiver()
  const file = join(emptyFolder(), 'watchpost.db')
  const engine = await startEngine(program(), { file }, { under: 'prlimit --nofile=64' })
  const contact = { kind: 'webhook', name: 'w', url: receiver.url, all_monitors: true }
  await engine.tell({ do: 'contact', input: contact })
  const port = await engine.tell<number>({ do: 'listen', port: 0 })
  const monitor = { interval_sec: 1, fail_threshold: 1, name: 'm' }
  const targets = [
    { ...monitor, type: 'tcp', host: '127.0.0.1', port },
    { ...monitor, type: 'tcp', host: 'localhost', port },
    // It may be late on a busy machine, which is no outage.
    { ...monitor, type: 'ping', host: '127.0.0.1', count: 1, fail_threshold: 20 },
    // Its first check of all comes when there are no files left.
    { ...monitor, type: 'http', url: receiver.url },
  ]
  for (const each of targets.slice(0, 3)) await engine.call('POST', '/monitors', each)
  await expect.poll(() => findings(engine, [1, 2, 3]), PATIENCE).toEqual([null, null, null])
  const broken = { ...monitor, type: 'tcp', host: '127.0.0.1', port: 9 }
  await engine.call('POST', '/monitors', broken)
  await expect.poll(() => receiver.received.length, PATIENCE).toBe(1)

  await engine.tell({ do: 'hold' })
  const held = engine.said.length
  expect(await engine.call('POST', '/monitors', targets[3])).toMatchObject({ status: 201 })
  expect(await findings(engine, [1, 2, 3, 5])).toEqual(Array(4).fill('probe_overloaded'))
  const { id } = await engine.tell<{ id: number }>({ do: 'resend', notification_id: 1 })
  const waiting = async (): Promise<unknown> =>
    (await engine.call('GET', `/notifications/${id}`)).body
  await expect.poll(waiting, PATIENCE).toMatchObject({
    notification: { status: 'queued', attempts: [{ error: 'probe_overloaded' }] },
  })

  await engine.tell({ do: 'release' })
  await expect
    .poll(() => findings(engine, [1, 2, 3, 5]), PATIENCE)
    .toEqual([null, null, null, null])
  expect(engine.said.slice(held).filter(({ kind }) => kind === 'down')).toEqual([])
  expect(await engine.end()).toBe(0)
})

test('whose machine has no port left to connect from is unknown to itself, and goes on once it has', async (context) => {
  // A second device, so that the machine has a network of which it could be said that it is there.
  const prepare = [
    'ip link set lo up',
    'ip link add v0 type veth peer name v1',
    'ip addr add 10.9.9.1/24 dev v0',
    'ip link set v0 up',
    'ip link set v1 up',
    "echo '40000 40003' > /proc/sys/net/ipv4/ip_local_port_range",
  ].join(' && ')
  const refusal = refusalOf(`unshare -n sh -c "${prepare}"`)
  if (refusal !== undefined) context.skip(refusal)
  const engine = await startEngine(
    program(),
    { file: join(emptyFolder(), 'watchpost.db'), listen: [7] },
    { under: `unshare -n sh -c "${prepare} && exec \\"\\$@\\"" sh` },
  )
  const monitor = { type: 'tcp', host: '127.0.0.1', port: 7, interval_sec: 1, fail_threshold: 1 }
  await engine.call('POST', '/monitors', { ...monitor, name: 'm' })
  expect(await findings(engine, [1])).toEqual([null])
  await engine.tell({ do: 'connect', port: 7 })
  expect(await findings(engine, [1])).toEqual(['probe_overloaded'])
  await engine.tell({ do: 'release' })
  expect(await findings(engine, [1])).toEqual([null])
  expect(engine.all('down')).toEqual([])
  expect(await engine.end()).toBe(0)
})
