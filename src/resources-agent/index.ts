/**
 * The other end of a `resources` monitor: a few lines in your own server tell its CPU, memory, disks and
 * load to whoever has the secret.
 *
 * ```ts
 * const agent = resourcesAgent({ secret: '…at least 16 characters…' })
 * createServer(agent).listen(8090)            // node:http
 * app.get('/resources', agent)                // Express
 * fastify.get('/resources', (request, reply) => { reply.hijack(); agent(request.raw, reply.raw) })
 * app.get('/resources', (c) => agent.fetch(c.req.raw)) // Hono, and whatever speaks fetch
 * ```
 *
 * @module watchpost/resources-agent
 */

import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { systemClock } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { ConfigurationError } from '../errors.ts'
import * as option from '../options.ts'
import { checkOptions } from '../options.ts'
import { createMeter } from './meter.ts'

export type { DiskUse, ResourcesReport } from './meter.ts'

export interface ResourcesAgentOptions {
  /** What callers send as `Authorization: Bearer`: 16 to 4096 visible ASCII characters. */
  readonly secret: string
  /** Mount points to report on. Default: the local disks; `/` (`C:\` on Windows) where none is found. */
  readonly disks?: readonly string[] | undefined
  readonly clock?: Clock | undefined
}

/** A handler for node:http and what is built upon it. Answers every path: mount it where you want it. */
export interface ResourcesAgent {
  (req: IncomingMessage, res: ServerResponse): void
  /** The same for servers that speak `Request` and `Response`. */
  readonly fetch: (request: Request) => Promise<Response>
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Nothing is measured before the first call, and nothing runs between two calls: the use of the CPU is
 * that since the last call.
 *
 * @throws ConfigurationError where there is no secret, or none that could be sent
 */
export function resourcesAgent(options: ResourcesAgentOptions): ResourcesAgent {
  checkOptions('resourcesAgent', options, {
    secret: option.anything,
    disks: option.listOf(option.text),
    clock: option.clock,
  })
  const { disks, clock = systemClock } = options
  const isSecret = recogniser(options.secret)
  if (disks?.some((disk) => typeof disk !== 'string' || disk === '') === true) {
    throw new ConfigurationError('resourcesAgent: disks is a list of mount points')
  }
  const measure = createMeter({ clock, disks })

  async function answer(method: string, authorization: string | undefined): Promise<Answer> {
    if (method !== 'GET' && method !== 'HEAD') {
      return problem(405, 'method_not_allowed', { allow: 'GET, HEAD' })
    }
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) return problem(401, 'unauthorized', { 'www-authenticate': 'Bearer' })
    if (!isSecret(token)) return problem(403, 'forbidden')
    return json(200, await measure())
  }

  const handler = (req: IncomingMessage, res: ServerResponse): void => {
    answer(req.method ?? 'GET', req.headers.authorization).then(
      ({ status, headers, body }) => {
        if (res.destroyed || res.headersSent) return
        res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
        res.end(req.method === 'HEAD' ? undefined : body)
      },
      () => res.destroy(),
    )
  }
  const fetch = async (request: Request): Promise<Response> => {
    const authorization = request.headers.get('authorization') ?? undefined
    const { status, headers, body } = await answer(request.method, authorization)
    return new Response(request.method === 'HEAD' ? null : body, { status, headers })
  }
  return Object.assign(handler, { fetch })
}

/** Compares digests, which are of one length and tell nothing of where two secrets differ. */
function recogniser(secret: unknown): (candidate: string) => boolean {
  if (typeof secret !== 'string' || !/^[\x21-\x7e]{16,4096}$/.test(secret)) {
    throw new ConfigurationError(
      'resourcesAgent: secret must be 16 to 4096 visible ASCII characters, without spaces',
    )
  }
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  const expected = digest(secret)
  return (candidate) => timingSafeEqual(digest(candidate), expected)
}

function problem(
  status: number,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const answer = json(status, { ok: false, error })
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

function json(status: number, value: unknown): Answer {
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
    body: JSON.stringify(value),
  }
}
