/**
 * The heartbeat addresses in OpenAPI.
 *
 * @module
 */

import { MONITOR_STATES } from '../../model.ts'
import type { JsonObject } from '../../model.ts'
import { REFUSALS, nullable, object, time, word } from './schemas.ts'

const answer: JsonObject = {
  description: 'The signal was taken',
  content: {
    'application/json': {
      schema: object(
        {
          ok: { const: true },
          state: word(MONITOR_STATES),
          next_expected_at: nullable(time()),
          ignored: word(['rate_limited'], 'Came too soon after the others and was left out'),
        },
        { optional: ['ignored'] },
      ),
    },
    'text/plain': { schema: { type: 'string', const: 'OK' } },
  },
}

const parameter = (name: string, where: 'path' | 'query', description: string): JsonObject => ({
  name,
  in: where,
  description,
  required: where === 'path',
  schema: { type: 'string' },
})

const query: readonly JsonObject[] = [
  parameter('rid', 'query', 'Id of the run: ties an end to its start'),
  parameter('msg', 'query', 'A message, where there is no body'),
  parameter('duration_ms', 'query', 'How long the job took'),
]

function ping(method: string, summary: string, path: readonly JsonObject[]): JsonObject {
  const suffixed = path.length > 1
  return {
    operationId: `${method}_hb${suffixed ? '_signal' : ''}`,
    summary,
    tags: ['Heartbeat'],
    security: [],
    parameters: [...path, ...query],
    ...(method === 'post'
      ? {
          requestBody: {
            description: 'Kept as the message, up to 10 KB',
            content: { '*/*': { schema: { type: 'string' } } },
          },
        }
      : {}),
    responses: {
      200: answer,
      ...(suffixed
        ? { 400: { ...REFUSALS[400], description: 'Not a signal (`bad_signal`)' } }
        : {}),
      404: REFUSALS[404],
      429: { ...REFUSALS[429], description: 'Too many unknown tokens from this client' },
      500: REFUSALS[500],
      503: REFUSALS[503],
    },
  }
}

const token = parameter('token', 'path', "The monitor's token")
const signal = parameter('signal', 'path', '`start`, `fail`, `log`, or an exit code from 0 to 255')

export const HEARTBEAT_PATHS: JsonObject = {
  '/hb/{token}': {
    get: ping('get', 'Heartbeat ping, called at the end of a job', [token]),
    post: ping('post', 'Heartbeat ping with a message', [token]),
  },
  '/hb/{token}/{signal}': {
    get: ping('get', 'Another signal of the job', [token, signal]),
    post: ping('post', 'Another signal of the job, with a message', [token, signal]),
  },
}
