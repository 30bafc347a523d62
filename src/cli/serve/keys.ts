/**
 * The API key of the first start, made and printed once or given by the operator.
 *
 * @module
 */

import { systemClock } from '../../clock.ts'
import type { Engine } from '../../engine/api/engine.ts'
import { requestServicesOf } from '../../engine/services/request-services.ts'
import { FIRST_ACCOUNT } from '../../model.ts'
import { isWatchpostError } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import { BY } from '../account.ts'
import { say } from '../terminal.ts'

const GIVEN = 'WATCHPOST_API_KEY'
/** No request can have it: it has blanks. */
const LOCK = 'the first key'
const LOCK_POLL_MS = 100
/** A server that ended in between holds the lock for up to two minutes, and has made no key, or it would be seen. */
const LOCK_TRIES = 50

interface KeyOptions {
  readonly api_key: string | undefined
  /** Where the API listens. */
  readonly address: string
  readonly log: Logger
}

export async function ensureKey(
  engine: Engine,
  { api_key, address, log }: KeyOptions,
): Promise<void> {
  if (api_key !== undefined) {
    await ensureGiven(engine, api_key, log)
    return
  }
  const key = await madeAlone(engine)
  if (key === undefined) return
  say(`API key: ${key}`)
  say(`It is shown this once; the page at ${address}/ asks for it. A first monitor:`)
  say(`\n${firstMonitor(address, key)}\n`)
}

/** Of servers that start together on one database, one makes the key; the others would each make a key that nobody uses. */
async function madeAlone(engine: Engine): Promise<string | undefined> {
  const { keys } = engine.account(FIRST_ACCOUNT, BY)
  const isThere = async (): Promise<boolean> => (await keys.list()).length > 0
  const { idempotencyLocks: locks } = requestServicesOf(engine)
  for (let tries = 0; !(await isThere()); tries++) {
    const release = await locks?.acquire(FIRST_ACCOUNT, LOCK)
    if (locks !== undefined && release === undefined && tries < LOCK_TRIES) {
      await systemClock.sleep(LOCK_POLL_MS)
      continue
    }
    try {
      if (await isThere()) return undefined
      return (await keys.create({ name: 'first' })).key
    } finally {
      await release?.()
    }
  }
  return undefined
}

async function ensureGiven(engine: Engine, key: string, log: Logger): Promise<void> {
  if ((await engine.authenticate(key)) === undefined) {
    try {
      await engine.account(FIRST_ACCOUNT, BY).keys.create({ name: GIVEN, key })
    } catch (error) {
      // A server that started together with this one may have been faster.
      const made = (await engine.authenticate(key)) !== undefined
      if (!made && !(isWatchpostError(error) && error.code === 'validation')) throw error
      // The key is known and was revoked: it stays so, and the monitors run all the same.
      if (!made) log.warn({}, `${GIVEN} is a key that was revoked; it stays so`)
    }
  }
  const others = (await engine.keys.list()).filter(
    ({ name, revoked_at, prefix }) =>
      name === GIVEN && revoked_at === null && !key.startsWith(prefix),
  )
  for (const { id } of others) {
    log.warn({ key_id: id }, `an earlier ${GIVEN} still works; watchpost keys revoke ${id} ends it`)
  }
}

/** One line, so that it survives every way of copying. */
function firstMonitor(address: string, key: string): string {
  const body = JSON.stringify({ type: 'http', name: 'Example', url: 'https://example.com' })
  return `curl -s ${address}/api/v1/monitors -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${body}'`
}
