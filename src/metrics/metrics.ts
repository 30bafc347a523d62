/**
 * `watchpost/metrics`: metrics of an engine in the text format of Prometheus, as a string for a host that answers
 * itself, and as a `fetch(Request)` that is mounted like the REST API.
 *
 * @module watchpost/metrics
 */

import { boundedLog } from '../access/bounded-log.ts'
import { renewed } from '../access/renewed.ts'
import { createTurns } from '../access/turns.ts'
import { createWaitingRequests } from '../access/waiting-requests.ts'
import { wholeResponse } from '../access/whole-body.ts'
import { systemClock } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Engine } from '../engine/api/engine.ts'
import type { MonitorReading } from '../engine/api/readings.ts'
import { NotFoundError } from '../errors.ts'
import { loggerOf } from '../logger.ts'
import type { Logger } from '../logger.ts'
import * as option from '../options.ts'
import { checkOptions } from '../options.ts'
import type { OptionTable } from '../options.ts'
import { readerOf, type MetricsScope, createLimits } from './access.ts'
import { countEvents, createMeters } from './counting.ts'
import { textInstruments } from './instruments.ts'
import type { MetricsRate } from './access.ts'
import { engineState, healthOf, LOOP_DELAY, measureLoopDelay, processState } from './state.ts'
import { monitorParts, readMonitors, rowOf } from './monitors.ts'
import { CONTENT_TYPE } from './text.ts'

export type { MetricsRate, MetricsScope } from './access.ts'

export interface MetricsOptions {
  /** A bearer token that may read everything, 16 to 512 printable characters. Default none: API keys only. */
  readonly token?: string | undefined
  /** `false` omits the series of single monitors. Default `true`: 13 per monitor and 3 per location of it. */
  readonly monitors?: boolean | undefined
  /** Adds CPU time, memory and start time of the process, for hosts without metrics of their own. Default `false`. */
  readonly process?: boolean | undefined
  /**
   * Reads per API key, counted with its REST requests, and per token; `false` disables the limit. Default 60 in 60
   * seconds.
   */
  readonly rateLimit?: false | MetricsRate | undefined
  /** The path. Default `/metrics`. */
  readonly path?: string | undefined
  readonly clock?: Clock | undefined
  /** Default: errors are one line each on stderr. `false`: nothing. */
  readonly logger?: Logger | false | undefined
}

export interface Metrics {
  /** Never rejects; needs no `this`. Answers GET and HEAD. */
  fetch(this: void, request: Request): Promise<Response>
  /** Whether a path is the path of the metrics. */
  owns(this: void, pathname: string): boolean
  /** The metrics as text; the host controls access. */
  text(this: void, scope?: MetricsScope): Promise<string>
  /** Stops counting. Called when the engine stops. */
  close(this: void): void
}

const OPTIONS: OptionTable<MetricsOptions> = {
  token: option.text,
  monitors: option.flag,
  process: option.flag,
  rateLimit: option.falseOr(
    option.group<MetricsRate>({
      requests: option.requestCount,
      accountRequests: option.requestCount,
      windowSec: option.windowSec,
    }),
  ),
  path: option.text,
  clock: option.clock,
  logger: option.logger,
}

/**
 * Counts from the call on: call it before `engine.start()`. One per engine is enough.
 *
 * @throws ConfigurationError for a token that is none
 */
export function createMetrics(engine: Engine, options: MetricsOptions = {}): Metrics {
  checkOptions('createMetrics', options, OPTIONS)
  const { clock = systemClock, path = '/metrics' } = options
  const logger = boundedLog(clock, loggerOf(options.logger))
  const readerFor = readerOf(engine, options.token)
  const limits = createLimits(engine, { clock, rate: options.rateLimit ?? {} })
  const meters = createMeters(textInstruments)
  const stopCounting = countEvents(engine, meters)
  const delays = textInstruments.histogram(LOOP_DELAY)
  const loop = measureLoopDelay(clock, delays)
  const inTurn = createTurns(1)
  const waiting = createWaitingRequests()

  async function partsOf<T>(scope: MetricsScope, made: (part: string) => T): Promise<T[]> {
    // Absent means all accounts; `undefined` as a value does not.
    if ('account_id' in scope && !(await engine.accounts.exists(scope.account_id)))
      throw new NotFoundError('account')
    // An account pays for its own monitors, and only who sees the engine for those of all.
    const whole = scope.engine !== false
    const all = await readMonitors(engine, clock, whole ? undefined : scope.account_id)
    const parts: T[] = []
    if (whole) {
      const health = await healthOf(engine, logger)
      parts.push(made(engineState({ monitors: all, health })))
      for (const meter of [...Object.values(meters), delays]) parts.push(made(meter.text()))
      if (options.process === true) parts.push(made(processState()))
    }
    if (options.monitors !== false) {
      for (const part of monitorParts(within(all, scope.account_id).map(rowOf))) {
        parts.push(made(part))
        await clock.sleep(0)
      }
    }
    return parts
  }

  async function text(scope: MetricsScope = {}): Promise<string> {
    return (await partsOf(scope, (part) => part)).join('')
  }

  /** Bytes leave the heap that V8 collects when their response has left; a text of many MiB stays for a while. */
  async function bytes(scope: MetricsScope): Promise<Uint8Array> {
    return Buffer.concat(await partsOf(scope, (part) => Buffer.from(part)))
  }

  async function answer(request: Request): Promise<Response> {
    const head = request.method === 'HEAD'
    if (request.method !== 'GET' && !head) return plain(405, { Allow: 'GET, HEAD' })
    const reading = await readerFor(request)
    if (reading === undefined) return plain(401, { 'WWW-Authenticate': 'Bearer' })
    const wrong = reading === 'wrong'
    const wait_sec = wrong ? limits.wrong(request) : await limits.read(reading)
    if (wait_sec !== undefined) return plain(429, { 'Retry-After': `${wait_sec}` })
    if (wrong) return plain(401, { 'WWW-Authenticate': 'Bearer' })
    const { scope } = reading
    const reader = scope.account_id ?? EVERYBODY
    const leave = options.rateLimit === false ? () => undefined : waiting.enter(reader)
    if (leave === undefined) return plain(429, { 'Retry-After': '5' })
    const admitted = renewed<typeof reading | 'wrong' | undefined>(clock, reading, () =>
      readerFor(request),
    )
    // Reads before it may take minutes.
    const whole = async () => (typeof (await admitted()) === 'object' ? bytes(scope) : undefined)
    const body = await (head ? Promise.resolve(null) : inTurn(reader, whole)).finally(leave)
    if (body === undefined) return plain(401, { 'WWW-Authenticate': 'Bearer' })
    const init = { headers: headersOf(CONTENT_TYPE) }
    return body === null ? new Response(null, init) : wholeResponse(body, init)
  }

  function close(): void {
    stopped()
    stopCounting()
    loop.close()
  }
  // Counting continues until the engine has stopped; only the timer ends here.
  const stopped = engine.on('stop', () => loop.close())

  return {
    fetch: (request) =>
      answer(request).catch((err: unknown) => {
        logger.error({ err }, 'metrics could not be shown')
        return plain(503, {})
      }),
    owns: (pathname) => pathname === path,
    text,
    close,
  }
}

function within(
  monitors: readonly MonitorReading[],
  account_id: number | undefined,
): readonly MonitorReading[] {
  if (account_id === undefined) return monitors
  return monitors.filter((monitor) => monitor.account_id === account_id)
}

/** Stands for the operator among the accounts. */
const EVERYBODY = 0

const TEXTS: Readonly<Record<number, string>> = {
  401: 'Send "Authorization: Bearer" with the metrics token or an API key',
  405: 'Only GET and HEAD are answered here',
  429: 'Too many requests; Retry-After says when to ask again',
  503: 'The metrics could not be read',
}

function plain(status: number, headers: Readonly<Record<string, string>>): Response {
  return new Response(`${TEXTS[status] ?? ''}\n`, {
    status,
    headers: { ...headersOf('text/plain; charset=utf-8'), ...headers },
  })
}

function headersOf(type: string): Record<string, string> {
  return { 'Content-Type': type, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }
}
