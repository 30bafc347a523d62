/**
 * The HTTP server: its limits, `/healthz`, and the handlers of REST, page and metrics.
 *
 * @module
 */

import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '../../clock.ts'
import type { Engine } from '../../engine/api/engine.ts'
import { WatchpostError } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import { limitServer } from '../../rest/node.ts'
import type { NodeHandler, LimitEvent, LimitName } from '../../rest/node.ts'
import type { Clock } from '../../clock.ts'

const MAX_HEADER_BYTES = 16 * 1024

/**
 * Connections that the kernel keeps until the server accepts them. It drops the next one, whose client asks again
 * after a second (RFC 6298, 2), so that a crowd of Node's default of 511 delays everybody. Linux reduces it to
 * `net.core.somaxconn`, 4096 by default.
 */
const LISTEN_BACKLOG = 4096

/** For answers that are under way when the engine has stopped. */
const LAST_ANSWERS_MS = 1000

export interface WebServer {
  /** Begins to listen; answers 503 until something is mounted. Resolves with the address. */
  listen(where: { readonly port: number; readonly host: string }): Promise<string>
  mount(engine: Engine, handler: NodeHandler): void
  /** Takes no further connections. */
  refuse(): void
  /** Ends what is left, within a second: a client that does not take its answer is cut off. */
  close(): Promise<void>
}

interface Mounted {
  readonly engine: Engine
  readonly handler: NodeHandler
}

interface WebServerOptions {
  readonly log: Logger
  readonly trust_proxy: string | undefined
}

export function createWebServer({ log, trust_proxy }: WebServerOptions): WebServer {
  let mounted: Mounted | undefined
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (req, res) => {
    answer(req, res, mounted).catch((err: unknown) => {
      log.error({ err }, 'a request could not be answered')
      res.destroy()
    })
  })
  limitServer(server, {
    onLimit: limitLog(log, systemClock),
    ...(trust_proxy === undefined ? {} : { trustProxy: trust_proxy }),
  })
  let closed: Promise<void> | undefined
  const refuse = (): Promise<void> =>
    (closed ??= new Promise((resolve) => server.close(() => resolve())))
  return {
    listen: (where) => listen(server, where),
    mount: (engine, handler) => void (mounted = { engine, handler }),
    refuse: () => void refuse(),
    async close() {
      const timer = systemClock.timer(LAST_ANSWERS_MS, () => server.closeAllConnections())
      server.closeIdleConnections()
      await refuse()
      timer.cancel()
    },
  }
}

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  mounted: Mounted | undefined,
): Promise<void> {
  const [path] = (req.url ?? '').split('?')
  if (mounted === undefined) {
    send(res, { status: 503, type: 'application/json', body: '{"ok":false,"error":"starting"}' })
  } else if (path === '/healthz' && isRead(req)) {
    send(res, await health(mounted.engine))
  } else {
    mounted.handler(req, res)
  }
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD'
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
}

function send(res: ServerResponse, { status, type, body }: Answer): void {
  res.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })
  res.end(body)
}

/** 200 while checks are made, else 503: for load balancers and for the monitor of this monitor. */
async function health(engine: Engine): Promise<Answer> {
  const type = 'application/json'
  try {
    const figures = await engine.health()
    const { running: ok } = figures
    return { status: ok ? 200 : 503, type, body: JSON.stringify({ ok, ...figures }) }
  } catch {
    return { status: 503, type, body: '{"ok":false,"error":"unavailable"}' }
  }
}

function listen(
  server: Server,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new WatchpostError('listen', explain(error, port, host), { cause: error }))
    })
    server.listen({ port, host, backlog: LISTEN_BACKLOG }, () => {
      const { port: taken } = server.address() as AddressInfo
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${taken}`)
    })
  })
}

function explain({ code, message }: NodeJS.ErrnoException, port: number, host: string): string {
  if (code === 'EADDRINUSE') {
    return `port ${port} on ${host} is in use; choose another with PORT or --port (0 is any free one)`
  }
  if (code === 'EACCES') {
    return `this user may not listen on port ${port}; choose one above 1023 with PORT or --port`
  }
  if (/^(?:EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN)$/.test(code ?? '')) {
    return `${host} is no address of this machine; choose another with HOST or --host`
  }
  return `cannot listen on ${host}, port ${port}: ${message}`
}

const LOG_PAUSE_MS = 60_000

/** Ends of everyday life: a browser leaves a connection open, a phone leaves the network. */
const EVERYDAY: ReadonlySet<LimitName> = new Set(['idleTimeoutMs', 'writeTimeoutMs'])

/** Says that clients were cut off: once, and then at most once a minute, however many there are. */
export function limitLog(
  log: Pick<Logger, 'warn'>,
  clock: Pick<Clock, 'monotonic'>,
): (event: LimitEvent) => void {
  const told = new Map<LimitName, number>()
  const counts = new Map<LimitName, number>()
  return ({ limit, address }) => {
    if (EVERYDAY.has(limit)) return
    const connections = (counts.get(limit) ?? 0) + 1
    counts.set(limit, connections)
    const now = clock.monotonic()
    if (now - (told.get(limit) ?? -Infinity) < LOG_PAUSE_MS) return
    told.set(limit, now)
    counts.delete(limit)
    log.warn({ limit, connections, address }, 'connections were ended at a limit')
  }
}
