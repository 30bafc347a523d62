/**
 * An engine in a process of its own, on a machine in trouble: told what to do by lines on stdin, telling
 * what happened by lines on stdout. All is JSON. Usage: node engine.js '<EngineChildOptions>'
 */

import { execFileSync } from 'node:child_process'
import { closeSync, openSync, writeSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { CheckerSource } from '../../../../src/checkers/checker.ts'
import { http } from '../../../../src/checkers/http/index.ts'
import { ping } from '../../../../src/checkers/ping.ts'
import { tcp } from '../../../../src/checkers/tcp.ts'
import { createEngine } from '../../../../src/engine/engine.ts'
import type { Engine } from '../../../../src/engine/api/engine.ts'
import type { EngineOptions } from '../../../../src/engine/options.ts'
import { isWatchpostError } from '../../../../src/errors.ts'
import type { Logger } from '../../../../src/logger.ts'
import type { JsonObject } from '../../../../src/model.ts'
import { createRest } from '../../../../src/rest/fetch.ts'
import { sqliteStore } from '../../../../src/store/sqlite/index.ts'
import type { SqliteDriverName } from '../../../../src/store/sqlite/index.ts'
import type { AnyContactKind } from '../../../../src/webhook/contact-kind.ts'
import { webhookContact } from '../../../../src/webhook/webhook-kind.ts'
import { unhindered_ms } from '../../../support/deadlines.ts'
import { freePort } from '../../../support/servers/ports.ts'
import type { Command, EngineChildOptions } from '../protocol.ts'
import { startNameServer } from './name-server.ts'

const given = JSON.parse(process.argv[2] ?? '{}') as EngineChildOptions

/** Written at once and in whole: a process that dies has said what it had to say. */
function tell(line: JsonObject): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

const log =
  (level: string) =>
  (fields: object, message: string): void =>
    tell({ kind: 'log', level, message, error: textOf((fields as { err?: unknown }).err) })
const logger: Logger = {
  debug: log('debug'),
  info: log('info'),
  warn: log('warn'),
  error: log('error'),
}

/** The checkers as they are, but a second is an interval that a test can wait for. */
const quick = { interval_sec: { default: 1, min: 1 }, timeout_ms: { default: 900 } }
const checkers = [
  { ...tcp(), common: quick },
  { ...http(), common: quick },
  { ...ping(), common: quick },
]

const engine: Engine = createEngine<CheckerSource, AnyContactKind>({
  store: sqliteStore({
    file: given.file,
    ...(given.driver === undefined ? {} : { driver: given.driver as SqliteDriverName }),
  }),
  checkers,
  contacts: [webhookContact({ guard: { allowCidrs: ['127.0.0.1/32'] } })],
  logger,
  ...(given.engine as Partial<EngineOptions> | undefined),
})
const rest = createRest(engine, { rateLimit: false, logger })
const targets = new Map<number, Server>()
const held: number[] = []
let grabbing: NodeJS.Timeout | undefined
const taken: Socket[] = []
let key = ''

const EVENTS = ['round', 'state', 'down', 'up', 'notification', 'location', 'error'] as const

for (const event of EVENTS) {
  engine.on(event, (payload: unknown) =>
    tell({
      kind: event,
      at: Date.now(),
      ...(event === 'error' ? { error: textOf(payload) } : (payload as JsonObject)),
    }),
  )
}

function textOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return error === undefined ? undefined : JSON.stringify(error)
  return isWatchpostError(error) ? `${error.code}: ${error.message}` : String(error)
}

/** `0`: a port that nobody takes once it is given up. */
async function listen(wanted: number): Promise<number> {
  const port = wanted === 0 ? await freePort() : wanted
  const server = createServer((socket) => socket.on('error', () => undefined).end('hello\r\n'))
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  targets.set(port, server)
  return port
}

async function obey(command: Command): Promise<unknown> {
  switch (command.do) {
    case 'call': {
      const { method, body } = command
      const request = new Request(`http://child${command.path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const response = await rest.fetch(request)
      return { status: response.status, body: JSON.parse(await response.text()) as unknown }
    }
    case 'contact':
      return engine.contacts.create(command.input as never)
    case 'resend':
      return engine.notifications.resend(command.notification_id)
    case 'listen':
      return listen(command.port)
    case 'unlisten':
      targets.get(command.port)?.close()
      return true
    case 'names':
      if (names !== undefined) names.mood = command.mood
      return true
    case 'shell':
      return execFileSync('sh', ['-c', command.line], { encoding: 'utf8' })
    case 'hold':
      holdFiles()
      return true
    case 'release':
      clearInterval(grabbing)
      while (held.length > 0) closeSync(held.pop() ?? 0)
      while (taken.length > 0) taken.pop()?.resetAndDestroy()
      return true
    case 'connect':
      return takePorts(command.port)
    case 'stat':
      return unhindered_ms(() => stat('/proc/self'))
    case 'health':
      return engine.health()
    case 'stop':
      await engine.stop()
      return true
  }
}

/** Connects until there is no port left to connect from. */
async function takePorts(port: number): Promise<number> {
  for (;;) {
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
    const open = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.on('error', () => undefined)
    if (!open) return taken.length
    taken.push(socket)
  }
}

/** Opens every file that may be opened, and again whatever somebody else closes. */
function holdFiles(): void {
  const grab = (): void => {
    try {
      for (;;) held.push(openSync('/dev/null', 'r'))
    } catch {
      // There are no more.
    }
  }
  grab()
  grabbing = setInterval(grab, 1)
}

const names = given.names === true ? await startNameServer() : undefined
for (const port of given.listen ?? []) await listen(port)
await engine.open()
key = (await engine.keys.create({ name: 'test' })).key
await engine.start()
tell({ kind: 'ready', pid: process.pid })

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as Command
  // One does not wait for another: some of them are stuck on purpose.
  void obey(command).then(
    (value) => tell({ kind: 'answer', id: command.id, value: value as JsonObject }),
    (error: unknown) => tell({ kind: 'answer', id: command.id, failed: textOf(error) }),
  )
}
// Whoever told it what to do is gone.
await engine.stop()
process.exit(0)
