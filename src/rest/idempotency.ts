/**
 * `Idempotency-Key`: a request that is repeated because its response was lost takes effect once.
 *
 * Responses are stored for 24 hours by the engine, per account, and shared by all engines on one store. Only
 * successes are stored: an error changes nothing, and the request may be corrected and sent again with the same key.
 *
 * @module
 */

import { createHash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { RequestServices } from '../engine/services/request-services.ts'
import { ConflictError, ValidationError } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { JsonObject } from '../model.ts'
import type { Reply } from './envelope.ts'
import { HttpError } from './http-error.ts'

/** How long an equal request waits for the first before it gets 409. */
const WAIT_MS = 60_000
/** How often the store is polled for the lock of another process. */
const POLL_MS = 250

interface Repeatable {
  readonly request: Request
  readonly account_id: number
  /** The path without host, since one server may have several names. */
  readonly path: string
  readonly body: JsonObject
  /** Rejects if it may no longer be made: it may have waited for an equal one. */
  readonly admitted: () => Promise<unknown>
}

export interface Idempotency {
  /** Executes `work`, or returns the stored response of an equal request. */
  once(repeatable: Repeatable, work: () => Promise<Reply>): Promise<Reply>
}

interface Ports {
  readonly services: Pick<
    RequestServices,
    'idempotencyResponses' | 'idempotencyLocks' | 'runningRepeatable'
  >
  readonly clock: Clock
  readonly logger: Logger
  /** Bounds those that wait for an equal one. */
  readonly whileWaiting: <T>(account_id: number, wait: () => Promise<T>) => Promise<T>
}

export function idempotency(ports: Ports): Idempotency {
  const { runningRepeatable: running } = ports.services

  return {
    async once(repeatable, work) {
      const key = keyOf(repeatable.request)
      if (key === undefined) return work()
      const slot = `${repeatable.account_id}:${key}`
      const before = running.get(slot)
      // Set without an await in between: of two concurrent requests one waits for the other.
      const asked = { ...repeatable, key }
      const answer = settledBefore(before, ports, repeatable).then(() =>
        withLock(ports, asked, () => answerOnce(ports, asked, work)),
      )
      const settled = Promise.allSettled([before, answer]).then(() => {
        if (running.get(slot) === settled) running.delete(slot)
      })
      running.set(slot, settled)
      return answer
    },
  }
}

type Asked = Repeatable & { readonly key: string }

async function answerOnce(
  { services: { idempotencyResponses }, logger }: Ports,
  asked: Asked,
  work: () => Promise<Reply>,
): Promise<Reply> {
  const { account_id, key, admitted } = asked
  const request_hash = hashOf(asked)
  const kept = await idempotencyResponses.get(account_id, key)
  if (kept !== undefined) {
    await admitted()
    if (kept.request_hash === request_hash) return replay(kept)
    throw new ConflictError(
      'idempotency_conflict',
      'This Idempotency-Key was used for another request',
    )
  }
  const reply = await work()
  const { status, body, headers } = reply
  try {
    await idempotencyResponses.put(account_id, key, {
      request_hash,
      status,
      body: JSON.stringify({ body, headers }),
    })
  } catch (error) {
    // The work is done: an error response would make the client repeat it.
    logger.warn({ err: error }, 'a response could not be stored for its Idempotency-Key')
  }
  return reply
}

/**
 * Waits while another process on the same store executes an equal request.
 *
 * @throws HttpError 409 if that takes too
 * long
 */
async function withLock(
  { services: { idempotencyLocks }, clock, logger, whileWaiting }: Ports,
  { account_id, key }: Asked,
  work: () => Promise<Reply>,
): Promise<Reply> {
  if (idempotencyLocks === undefined) return work()
  const acquire = () => idempotencyLocks.acquire(account_id, key)
  const poll = async (): Promise<() => Promise<void>> => {
    const from = clock.monotonic()
    for (;;) {
      if (clock.monotonic() - from >= WAIT_MS) throw inProgress()
      await clock.sleep(POLL_MS)
      const acquired = await acquire()
      if (acquired !== undefined) return acquired
    }
  }
  const release = (await acquire()) ?? (await whileWaiting(account_id, poll))
  try {
    return await work()
  } finally {
    // The lock expires by itself.
    await release().catch((err: unknown) =>
      logger.warn({ err }, 'an idempotency lock could not be released'),
    )
  }
}

/** Resolves when `before` has settled. @throws HttpError 409 if that takes too long, 429 if too many wait */
async function settledBefore(
  before: Promise<unknown> | undefined,
  { clock, whileWaiting }: Ports,
  { account_id }: Repeatable,
): Promise<void> {
  if (before === undefined) return
  const stop = new AbortController()
  const late = clock.sleep(WAIT_MS, stop.signal).then(
    () => true,
    () => false,
  )
  await whileWaiting(account_id, async () => {
    const waited_out = await Promise.race([before.then(() => false), late])
    if (waited_out) throw inProgress()
  }).finally(() => stop.abort())
}

function inProgress(): HttpError {
  return new HttpError({
    status: 409,
    error: 'idempotency_in_progress',
    message: 'An equal request is still being worked on',
    retry_after: 10,
  })
}

/** @throws ValidationError */
function keyOf(request: Request): string | undefined {
  const key = request.headers.get('idempotency-key')
  if (key === null) return undefined
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new ValidationError({
    'Idempotency-Key': 'invalid: 1..255 visible ASCII characters are expected',
  })
}

function hashOf({ request, path, body }: Repeatable): string {
  const text = JSON.stringify([request.method, path, body])
  return createHash('sha256').update(text).digest('hex')
}

function replay(kept: { readonly status: number; readonly body: string }): Reply {
  const { body, headers } = JSON.parse(kept.body) as Pick<Reply, 'body' | 'headers'>
  return { status: kept.status, body, headers: { ...headers, 'Idempotent-Replayed': 'true' } }
}
