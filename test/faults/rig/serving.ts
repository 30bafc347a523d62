/**
 * `watchpost serve` as a process of its own with a small heap, and what it takes and says from outside.
 *
 * @module
 */

import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../../src/clock.ts'
import { bundle } from './programs.ts'

const MIB = 2 ** 20
const START_LIMIT_MS = 20_000
/** Nobody waits longer for the answer of `/healthz`; a server that needs it has failed. */
const HEALTH_LIMIT_MS = 20_000

export interface Serving {
  readonly port: number
  /** The API key it printed. */
  readonly key: string
  /** Resident memory in MiB, 0 once it is gone. */
  rss(): number
  /** Connections that are established, as the kernel counts them at the server's end. */
  connections(): number
  /** `/healthz` on a connection of its own, asked again until it says 200 or the limit is over. */
  health(): Promise<Health>
  /** How it ended, `undefined` while it lives. */
  ended(): string | undefined
  stop(): Promise<void>
}

export interface Health {
  /** Milliseconds until it said 200. */
  readonly wall_ms: number
  /** Without those in which the server was ready and other processes had the CPUs (Linux). */
  readonly own_ms: number
}

export async function startServing(args: readonly string[] = []): Promise<Serving> {
  const built = await bundle({ serve: 'src/cli/main.ts' })
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-attack-'))
  const child = spawn(
    process.execPath,
    ['--max-old-space-size=512', built.programs.serve, 'serve', '--port', '0', ...args],
    {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, LOG_LEVEL: 'error' },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'close')
    }
    rmSync(folder, { recursive: true, force: true })
    built.remove()
  }
  try {
    const { port, key } = await listening(child)
    return {
      port,
      key,
      rss: () => rssOf(child),
      connections: () => connectionsAt(port),
      health: () => health(port, child.pid ?? 0),
      ended: () => endOf(child),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

function listening(child: ChildProcess): Promise<{ readonly port: number; readonly key: string }> {
  return new Promise((resolve, reject) => {
    let text = ''
    const give = (): void => reject(new Error(`It never listened:\n${text}`))
    const late = systemClock.timer(START_LIMIT_MS, give)
    child.once('close', give)
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const port = /^Listening on http:\S+:(\d+)/m.exec(text)?.[1]
      const key = /^API key: (svc_\w+)$/m.exec(text)?.[1]
      if (port === undefined || key === undefined) return
      late.cancel()
      child.off('close', give)
      resolve({ port: Number(port), key })
    })
  })
}

/** Linux. */
function rssOf(child: ChildProcess): number {
  if (endOf(child) !== undefined) return 0
  const status = readFileSync(`/proc/${child.pid ?? 0}/status`, 'utf8')
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024) / MIB
}

/** Linux. */
function connectionsAt(port: number): number {
  const here = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const [, ...rows] = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n')
  return rows.filter((row) => {
    const [, local = '', , state] = row.trim().split(/\s+/)
    return local.endsWith(here) && state === ESTABLISHED
  }).length
}

/** State `TCP_ESTABLISHED` of the kernel's table. */
const ESTABLISHED = '01'

function endOf({ exitCode, signalCode }: ChildProcess): string | undefined {
  if (signalCode !== null) return signalCode
  return exitCode === null ? undefined : `exit ${exitCode}`
}

/** Asks again where the connection was refused or cut, as a load balancer does. */
async function health(port: number, pid: number): Promise<Health> {
  const begin = systemClock.monotonic()
  const before = waitedForCpu(pid)
  const spent = () => systemClock.monotonic() - begin
  const found = () => ({
    wall_ms: spent(),
    own_ms: Math.max(0, spent() - (waitedForCpu(pid) - before)),
  })
  while (spent() < HEALTH_LIMIT_MS) {
    if ((await ask(port, HEALTH_LIMIT_MS - spent())) === 200) return found()
    await systemClock.sleep(20)
  }
  return found()
}

/** Milliseconds that its main thread was ready and did not run, in all. */
function waitedForCpu(pid: number): number {
  try {
    const [, waited = '0'] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')
    return Number(waited) / 1e6
  } catch {
    return 0
  }
}

function ask(port: number, timeout: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const agent = new Agent({ keepAlive: false })
    const request = get({ host: '127.0.0.1', port, path: '/healthz', agent, timeout }, (answer) => {
      answer.resume()
      answer.once('close', () => resolve(answer.statusCode))
    })
    request.once('timeout', () => request.destroy())
    request.once('error', () => resolve(undefined))
  })
}
