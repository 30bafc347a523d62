import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadDriver } from '../../src/store/sqlite/drivers.ts'
import type { SqliteDriverName } from '../../src/store/sqlite/drivers.ts'
import { unhindered_ms } from '../support/deadlines.ts'
import { childProgram, emptyFolder, refusalOf, startEngine } from './machine/child.ts'
import type { EngineChild } from './machine/child.ts'
import { startReceiver } from './machine/receiver.ts'

const native: unknown = process.getBuiltinModule('node:sqlite' as 'node:fs')
const DRIVERS: readonly SqliteDriverName[] = native === undefined ? ['wasm'] : ['native', 'wasm']
const PATIENCE = { timeout: 60_000, interval: 50 }

const program = childProgram('engine')

async function integrityOf(file: string): Promise<unknown> {
  const { open, pragmas } = await loadDriver()
  const handle = open(file)
  try {
    for (const pragma of pragmas) handle.exec(`PRAGMA ${pragma}`)
    return handle.prepare('PRAGMA integrity_check').all([])[0]?.['integrity_check']
  } finally {
    handle.close()
  }
}

/** A second is an interval; two failing rounds are an outage. */
const watched = (port: number, name = 'shop') => ({
  type: 'tcp',
  name,
  host: '127.0.0.1',
  port,
  interval_sec: 1,
})

async function isTaken(engine: EngineChild, port: number): Promise<boolean> {
  const { status, body } = await engine.call('POST', '/monitors', watched(port, 'more'))
  if (status !== 201)
    expect({ status, body }).toMatchObject({ status: 503, body: { error: 'storage' } })
  return status === 201
}

describe.each(DRIVERS)('a full disk, %s driver', (driver) => {
  test('stops nothing: writes are refused, what happened meanwhile is told once there is room', async (context) => {
    const folder = emptyFolder()
    const disk = `mount -t tmpfs -o size=8m tmpfs '${folder}'`
    const refusal = refusalOf(`unshare -m ${disk}`)
    if (refusal !== undefined) context.skip(refusal)
    const receiver = await startReceiver()
    const engine = await startEngine(
      program(),
      { file: join(folder, 'watchpost.db'), driver },
      { under: `unshare -m sh -c "${disk} && exec \\"\\$@\\"" sh` },
    )
    const url = receiver.url
    await engine.tell({
      do: 'contact',
      input: { kind: 'webhook', name: 'w', url, all_monitors: true },
    })
    const port = await engine.tell<number>({ do: 'listen', port: 0 })
    const { body } = await engine.call('POST', '/monitors', watched(port))
    await engine.hears(({ kind, to }) => kind === 'state' && to === 'up')

    // The shell is to fail: that is what fills the disk to its last byte.
    await engine.tell({ do: 'shell', line: `cat /dev/zero > ${folder}/ballast || true` })
    const full = engine.said.length
    await engine.hears(({ kind, error }) => kind === 'error' && /disk/.test(String(error)), full)
    expect(await isTaken(engine, port)).toBe(false)
    expect(await engine.call('GET', `/monitors/${body.monitor.id}`)).toMatchObject({ status: 200 })
    await engine.tell({ do: 'unlisten', port })
    const closed = engine.said.length
    await engine.hears(({ kind }) => kind === 'error', closed)
    expect(receiver.received).toEqual([])

    await engine.tell({ do: 'shell', line: `rm ${folder}/ballast` })
    const taken = async () => expect.poll(() => isTaken(engine, port), PATIENCE).toBe(true)
    expect(await unhindered_ms(taken, engine.pid)).toBeLessThan(10_000)
    await expect.poll(() => receiver.eventsOf(body.monitor.id), PATIENCE).toEqual(['down'])
    await engine.tell({ do: 'listen', port })
    await expect.poll(() => receiver.eventsOf(body.monitor.id), PATIENCE).toEqual(['down', 'up'])

    const outside = emptyFolder()
    await engine.tell({ do: 'stop' })
    await engine.tell({ do: 'shell', line: `cp ${folder}/watchpost.db* ${outside}` })
    expect(await engine.end()).toBe(0)
    expect(await integrityOf(join(outside, 'watchpost.db'))).toBe('ok')
  })
})

const strace = (injection: string): string =>
  `strace -f -qq --seccomp-bpf -o /dev/null -e trace=fsync,fdatasync -e inject=fsync,fdatasync:${injection}`

describe.each(DRIVERS)('a failing disk, %s driver', (driver) => {
  test('whose fsync fails loses no acknowledged row, is told of, and is used again once it works', async (context) => {
    const refusal = refusalOf(`${strace('error=EIO:when=1..2')} true`)
    if (refusal !== undefined) context.skip(refusal)
    const file = join(emptyFolder(), 'watchpost.db')
    const under = strace('error=EIO:when=40..60')
    const engine = await startEngine(program(), { file, driver }, { under })
    const port = await engine.tell<number>({ do: 'listen', port: 0 })

    const taken: number[] = []
    let refused = 0
    let since = 0
    for (let tries = 0; tries < 300 && since < 20; tries++) {
      const { status, body } = await engine.call('POST', '/monitors', watched(port, `n${tries}`))
      if (status === 201) taken.push(body.monitor.id)
      else expect({ status, body }).toMatchObject({ status: 503, body: { error: 'storage' } })
      if (status !== 201) refused++
      since = status === 201 && refused > 0 ? since + 1 : 0
    }
    expect(refused).toBeGreaterThan(0)
    expect(since).toBe(20)
    expect(engine.all('log').map(({ error }) => String(error))).toContainEqual(
      expect.stringMatching(/the disk is full or failing/),
    )
    await engine.kill('SIGKILL')

    const again = await startEngine(program(), { file, driver })
    for (const id of taken) {
      expect(await again.call('GET', `/monitors/${id}`)).toMatchObject({ status: 200 })
    }
    expect(await again.end()).toBe(0)
    expect(await integrityOf(file)).toBe('ok')
  })

  test('that takes 200 ms for every fsync slows commits down and nothing else', async (context) => {
    const under = strace('delay_enter=200000:when=30+')
    const refusal = refusalOf(`${under} true`)
    if (refusal !== undefined) context.skip(refusal)
    const file = join(emptyFolder(), 'watchpost.db')
    const engine = await startEngine(program(), { file, driver }, { under })
    const port = await engine.tell<number>({ do: 'listen', port: 0 })
    for (let n = 0; n < 10; n++) await engine.call('POST', '/monitors', watched(port, `n${n}`))
    const from = engine.said.length
    // Ten monitors of a second each would need two seconds a second, were each round a commit of its own.
    for (let id = 1; id <= 10; id++) {
      const round = ({ kind, monitor }: { kind: string; monitor?: unknown }) =>
        kind === 'round' && (monitor as { id: number }).id === id
      const first = await engine.hears(round, from)
      await engine.hears(round, engine.said.indexOf(first) + 1)
    }
    expect(engine.all('error')).toEqual([])
    await engine.kill('SIGKILL')
    const again = await startEngine(program(), { file, driver })
    expect((await again.call('GET', '/monitors')).body.monitors).toHaveLength(10)
    expect(await again.end()).toBe(0)
  })
})
