/**
 * One connection to Redis with its queues and workers. A session whose connection is lost or unresponsive is closed
 * and replaced; nothing in it reconnects.
 *
 * @module
 */

import type { TLSSocket } from 'node:tls'
import type { Job, Queue, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Clock } from '../../clock.ts'
import { ConfigurationError, MissingDependencyError, ClosedError } from '../../errors.ts'
import type { ThrottledLog } from './throttled-log.ts'
import { readWithoutUsages } from '../../net/connection/peer-certificate.ts'
import type { RedisAddress, RedisParts } from './options.ts'
import { boundReplies } from './reply-bounds.ts'

const CONNECT_MS = 5000
const CLOSE_MS = 1000

/** An order taken by a probe that ended counts as lost after both. */
const LOCK_MS = 10_000
const STALLED_MS = 5000
/** BullMQ's events are for monitoring a queue and are not used here. */
const EVENTS_KEPT = 100
/** Of the other side: engines that a probe answers, locations that an engine withdraws orders from. */
const MAX_QUEUES = 500

export type Processor = (job: Job<unknown>, token: string | undefined) => Promise<void>

export interface Session {
  readonly redis: Redis
  /** Aborts when the connection is lost, with the error that ended it, if there was one. */
  readonly lost: AbortSignal
  /** One object per queue. `own`: this side writes the queue's metadata. */
  queue(name: string, own?: 'own'): Queue<unknown>
  work(name: string, concurrency: number, process: Processor): Worker<unknown>
  /** Takes no more jobs; active ones continue. */
  rest(): Promise<void>
  /** Before closing: resolves when the active jobs have left their queues. */
  finished(): Promise<void>
  /** A further connection, for commands that block or subscribe. */
  connect(): Promise<Redis>
  /** Returns within a second, whether Redis answers or not. */
  close(): Promise<void>
}

export interface SessionOptions {
  readonly connection: RedisAddress
  readonly prefix: string
  /** As shown by `CLIENT LIST`. */
  readonly name: string
  readonly clock: Clock
  readonly throttledLog: ThrottledLog
  /** Aborts an opening that is no longer needed. */
  readonly signal: AbortSignal
}

/** @throws MissingDependencyError */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { clock, throttledLog, prefix } = options
  const { bullmq, Redis } = await loadPackages()
  const lost = new AbortController()
  const clients = new Set<Redis>()
  const queues = new Map<string, Queue<unknown>>()
  /** Queues of the other side, the oldest first. */
  const others = new Set<string>()
  const workers: Worker<unknown>[] = []
  let closing = false

  let trouble: Error | undefined

  function client(): Redis {
    const made = new Redis(redisOptions(options))
    clients.add(made)
    boundReplies(made)
    guardCertificate(made)
    // Replies that follow a refused login have no command any more.
    made.on('error', (err: Error) => {
      trouble ??= err
    })
    // After an error of the protocol the client would read on.
    made.once('error', () => made.disconnect())
    made.on('end', () => {
      if (!closing) lost.abort(trouble ?? new ClosedError('Redis closed the connection'))
    })
    // BullMQ duplicates a connection for blocking commands; it is recorded here to be closed.
    made.duplicate = client
    return made
  }

  async function connect(): Promise<Redis> {
    const made = client()
    await within(clock, CONNECT_MS + CLOSE_MS, made.connect())
    return made
  }

  const disconnect = (): void => {
    for (const each of clients) each.disconnect()
  }

  const onError = (err: Error): void => {
    if (!closing && !lost.signal.aborted) throttledLog.warn({ err }, 'BullMQ reports an error')
  }

  /** Makes room: each holds some memory, and Redis decides how many are named. */
  function closeOldest(): void {
    const [oldest] = others
    if (others.size < MAX_QUEUES || oldest === undefined) return
    queues
      .get(oldest)
      ?.close()
      .catch(() => undefined)
    queues.delete(oldest)
    others.delete(oldest)
  }

  async function close(): Promise<void> {
    closing = true
    const closed = [...workers, ...queues.values()].map((each) =>
      // Forced: active jobs are not waited for here.
      each.close(true).catch(() => undefined),
    )
    await within(clock, CLOSE_MS, Promise.all(closed)).catch(() => undefined)
    disconnect()
  }

  try {
    options.signal.addEventListener('abort', disconnect)
    const redis = await connect()
    const shared = { connection: redis, prefix, skipVersionCheck: true } as const
    return {
      redis,
      lost: lost.signal,
      queue(name, own) {
        const known = queues.get(name)
        if (known !== undefined) return known
        if (own === undefined) closeOldest()
        const queue = new bullmq.Queue<unknown>(name, {
          ...shared,
          skipMetasUpdate: own === undefined,
          streams: { events: { maxLen: EVENTS_KEPT } },
        })
        queue.on('error', onError)
        queues.set(name, queue)
        if (own === undefined) others.add(name)
        return queue
      },
      work(name, concurrency, process) {
        const worker = new bullmq.Worker<unknown>(name, process, {
          ...shared,
          concurrency,
          lockDuration: LOCK_MS,
          stalledInterval: STALLED_MS,
          // A job that a lost probe started is not started again.
          maxStalledCount: 0,
          runRetryDelay: 1000,
          removeOnComplete: { count: 0 },
          removeOnFail: { count: 0 },
        })
        worker.on('error', onError)
        workers.push(worker)
        return worker
      },
      async rest() {
        await Promise.all(workers.map((each) => each.pause(true)))
      },
      async finished() {
        closing = true
        await Promise.all(workers.map((each) => each.close()))
      },
      connect,
      close,
    }
  } catch (error) {
    await close()
    throw trouble ?? error
  } finally {
    options.signal.removeEventListener('abort', disconnect)
  }
}

async function loadPackages() {
  try {
    const [bullmq, { Redis }] = await Promise.all([import('bullmq'), import('ioredis')])
    return { bullmq, Redis }
  } catch (cause) {
    throw new MissingDependencyError('bullmq ioredis', { cause })
  }
}

function redisOptions({ connection, name }: SessionOptions) {
  return {
    ...partsOf(connection),
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    connectionName: name,
    // The replies that are read (`reply-bounds.ts`) are those of RESP 2.
    protocol: 2,
    // It parses what Redis says of itself. A Redis that is not ready refuses the first beat.
    enableReadyCheck: false,
    // A new session replaces this one; a command must not be executed long after its timeout.
    retryStrategy: () => null,
    autoResendUnfulfilledCommands: false,
    // Required by BullMQ for blocking connections.
    maxRetriesPerRequest: null,
  } as const
}

/** The connection has Node read the certificate of the server, which can end the process. */
function guardCertificate(client: Redis): void {
  const { connector } = client as unknown as { connector: Connector }
  const connect = connector.connect.bind(connector)
  connector.connect = async (onError) => {
    const socket = await connect(onError)
    readWithoutUsages(socket)
    return socket
  }
}

interface Connector {
  connect(onError: unknown): Promise<TLSSocket>
}

/** Without `undefined` values, which ioredis does not accept. */
type Parts = { readonly [K in Exclude<keyof RedisParts, 'tls'>]?: NonNullable<RedisParts[K]> } & {
  readonly tls?: { readonly ca?: string; readonly servername?: string }
}

function partsOf(connection: RedisAddress): Parts {
  if (typeof connection !== 'string') {
    const { tls = false, ...parts } = connection
    return {
      ...present(parts),
      ...(tls === false ? {} : { tls: tls === true ? {} : present(tls) }),
    }
  }
  const { protocol, hostname, port, username, password, pathname } = new URL(connection)
  const db = Number(pathname.slice(1))
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 6379 : Number(port),
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(db > 0 ? { db } : {}),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
  }
}

function present<T extends object>(parts: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(parts).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> }
}

/** A wrong password is permanent: it is reported to the caller of `start`. */
export function explained(error: unknown): unknown {
  // Of several pipelined commands, the error of the first that failed.
  const { previousErrors: [first = error] = [] } = (error ?? {}) as { previousErrors?: unknown[] }
  const text = first instanceof Error ? first.message : ''
  if (!/^(?:WRONGPASS|NOAUTH|NOPERM|ERR (?:invalid password|AUTH|Client sent AUTH))/.test(text))
    return error
  return new ConfigurationError(`Redis refuses us: ${text}`, { cause: error })
}

/**
 * The result of `work`, or a rejection after `ms`. The work itself continues; its result is ignored.
 *
 * @throws ClosedError
 */
export function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.timer(ms, () => {
      reject(new ClosedError(`Redis did not answer within ${ms} ms`))
    })
    work.then(resolve, reject).finally(() => timer.cancel())
  })
}
