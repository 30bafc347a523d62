/** Another process holds the SQLite file (F5). */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { unhindered_ms } from '../support/deadlines.ts'
import { childProgram, emptyFolder, startEngine } from './machine/child.ts'
import { startReceiver } from './machine/receiver.ts'

const PATIENCE = { timeout: 60_000, interval: 50 }
const native: unknown = process.getBuiltinModule('node:sqlite' as 'node:fs')

const program = childProgram('engine')

/** Takes the file for itself until the promise's function is called. */
async function hold(file: string): Promise<() => Promise<void>> {
  const script = `
    const { DatabaseSync } = require('node:sqlite')
    const database = new DatabaseSync(${JSON.stringify(file)})
    database.exec('PRAGMA busy_timeout = 10000')
    database.exec('BEGIN EXCLUSIVE')
    process.stdout.write('held')
    process.stdin.once('data', () => { database.exec('ROLLBACK'); process.exit(0) })`
  const child = spawn(process.execPath, ['--no-warnings', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return async () => {
    child.stdin.write('enough')
    await once(child, 'exit')
  }
}

test('a file that another process holds for a while stops nothing, and an outage meanwhile is told after it', async (context) => {
  if (native === undefined)
    context.skip('node:sqlite came with Node 22.13; the other driver shares no file')
  const receiver = await startReceiver()
  const file = join(emptyFolder(), 'watchpost.db')
  const engine = await startEngine(program(), { file, driver: 'native' })
  const contact = { kind: 'webhook', name: 'w', url: receiver.url, all_monitors: true }
  await engine.tell({ do: 'contact', input: contact })
  const port = await engine.tell<number>({ do: 'listen', port: 0 })
  const monitor = { type: 'tcp', name: 'm', host: '127.0.0.1', port, interval_sec: 1 }
  await engine.call('POST', '/monitors', monitor)
  await engine.hears(({ kind, to }) => kind === 'state' && to === 'up')

  const release = await hold(file)
  const held = engine.said.length
  await engine.hears(
    ({ kind, error }) => kind === 'error' && /holds the file/.test(String(error)),
    held,
  )
  expect(await engine.call('POST', '/monitors', monitor)).toMatchObject({
    status: 503,
    body: { error: 'storage' },
  })
  expect(await engine.call('GET', '/monitors')).toMatchObject({ status: 200 })
  await engine.tell({ do: 'unlisten', port })
  const closed = engine.said.length
  await engine.hears(({ kind }) => kind === 'error', closed)
  // Whoever waits for the file keeps the process waiting: that must be short.
  const asking = async (): Promise<void> => {
    for (let n = 0; n < 10; n++) await engine.tell({ do: 'stat' })
  }
  expect(await unhindered_ms(asking, engine.pid)).toBeLessThan(4000)
  expect(receiver.received).toEqual([])

  await release()
  await expect.poll(() => receiver.eventsOf(1), PATIENCE).toEqual(['down'])
  expect(await engine.call('POST', '/monitors', monitor)).toMatchObject({ status: 201 })
  expect(await engine.end()).toBe(0)
})
