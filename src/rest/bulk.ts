/**
 * Actions on many monitors in one request.
 *
 * @module
 */

import type { BulkFailure, BulkFilter, BulkInput, BulkView } from '../engine/api/bulk.ts'
import { admitBulkCheck, REQUESTED_CHECKS } from '../engine/services/request-services.ts'
import { ValidationError } from '../errors.ts'
import { MONITOR_STATES, MONITOR_STATUSES } from '../model.ts'
import { requireScope } from './auth.ts'
import { ok } from './envelope.ts'
import { HttpError } from './http-error.ts'
import { arrayOf, flag, integer, nullable, object, record, text, word } from './openapi/schemas.ts'
import type { Schema } from './openapi/schemas.ts'
import { operation } from './operation.ts'
import type { Call } from './operation.ts'
import { cursorOf, param } from './query.ts'

export const bulkMonitors = operation({
  summary: 'Pauses, resumes, checks, tags or removes the monitors that match',
  description:
    'Takes `action` (`pause`, `resume`, `check`, `remove`, or `tag` with `add_tags` and `remove_tags`) and `filter`: `status` and `type` as lists, of which one must match, `tag` as a list, all of which must (`["shop", ["eu", "us"]]`: `shop`, and one of the two), `metadata`, `q`, or a list of `ids`, or `{ "all": true }`. At most `limit` monitors (10000) per request; `next_cursor` is `cursor` of the next one. `dry_run` counts only. Each monitor changes on its own: a refusal is counted in `failed` and ends nothing.',
  scope: 'monitors:write',
  tag: 'Monitors',
  body: 'MonitorBulk',
  waits: true,
  answers: {
    200: {
      bulk: object<Omit<BulkView, 'next'>>({
        matched: integer(),
        changed: integer(),
        unchanged: integer('Already in the wanted state; for `check`, paused monitors'),
        failed: integer(),
        failures: arrayOf(
          object<BulkFailure>({ monitor_id: integer(), error: text(), message: text() }),
        ),
      }),
      next_cursor: nullable(text()),
    },
  },
  refusals: [409],
  repeatable: true,
  async run(call) {
    const { cursor, ...input } = call.body
    if (input['action'] === 'check') requireScope(call.identity, 'checks:run')
    if ('after' in input) throw new ValidationError({ after: 'unknown_field' })
    const after = cursor === undefined ? {} : { after: afterOf(cursor) }
    if (input['action'] === 'check' && input['dry_run'] !== true) await requireAskable(call)
    // The engine validates the input; until then it only has the shape of a `BulkInput`.
    const wanted = { ...input, ...after } as unknown as BulkInput
    const permitted = async (): Promise<void> => {
      const identity = await call.admitted()
      if (input['action'] === 'check') requireScope(identity, 'checks:run')
    }
    const { next, ...bulk } = await call.scope.monitors.bulk(wanted, { permitted })
    return ok({ bulk, next_cursor: cursorOf('monitors', next) })
  },
})

function afterOf(cursor: unknown): number {
  try {
    return param.cursor('monitors').read([String(cursor)])
  } catch {
    throw new ValidationError({ cursor: 'invalid: not a cursor of this list' })
  }
}

/** @throws HttpError 429 `check_too_soon` */
async function requireAskable({ engine, scope, host }: Call): Promise<void> {
  if (host.rate === null) return
  const taken = await admitBulkCheck(engine, scope.account_id)
  if (taken.admitted) return
  throw new HttpError({
    status: 429,
    error: 'check_too_soon',
    message: `More than ${REQUESTED_CHECKS.limit} bulk checks were asked for within a minute`,
    retry_after: taken.retry_sec,
  })
}

const tags = arrayOf(text())

const filter: Schema = object<BulkFilter>(
  {
    status: arrayOf(word([...new Set([...MONITOR_STATES, ...MONITOR_STATUSES])])),
    type: arrayOf(text()),
    tag: {
      ...arrayOf({ anyOf: [text(), tags] }),
      description: 'All must match; an inner list means any of its tags',
    },
    metadata: record('Members at the top level of the metadata, compared as text; all must match'),
    q: text('Part of the name or the target'),
    ids: { ...arrayOf(integer()), maxItems: 1000 },
    all: { const: true },
  },
  {
    optional: ['status', 'type', 'tag', 'metadata', 'q', 'ids', 'all'],
    description: 'At least one member; `ids` and `all` stand alone',
  },
)

/** The body. */
export const MONITOR_BULK: Schema = object(
  {
    action: word(['pause', 'resume', 'check', 'remove', 'tag']),
    filter: { ...filter, minProperties: 1 },
    add_tags: { ...tags, description: 'With `tag`' },
    remove_tags: { ...tags, description: 'With `tag`' },
    dry_run: flag('Counts and changes nothing'),
    limit: { type: 'integer', minimum: 1, maximum: 10_000, default: 10_000 },
    cursor: text('`next_cursor` of the request before'),
  },
  { optional: ['add_tags', 'remove_tags', 'dry_run', 'limit', 'cursor'] },
)
