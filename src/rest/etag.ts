/**
 * Entity tags: for documents their digest, for what has a version `"<version>.<digest of the body>"`.
 *
 * `If-Match` compares the version alone, so that a check that ran meanwhile does not fail an edit. The digest is for
 * `If-None-Match`: the body contains the state as well, which changes without a new version.
 *
 * @module
 */

import { createHash } from 'node:crypto'
import { ConflictError } from '../errors.ts'
import { ok } from './envelope.ts'
import type { Reply } from './envelope.ts'
import type { Call } from './operation.ts'

interface Versioned {
  readonly version: number
}

/** `{ ok, monitor }` with its entity tag. */
export function monitorReply(
  monitor: Versioned,
  options: Parameters<typeof ok>[1] & { readonly also?: object } = {},
): Reply {
  return versionedReply({ monitor }, options)
}

/** The same for any one resource with a version. */
export function versionedReply(
  resource: Readonly<Record<string, Versioned>>,
  options: Parameters<typeof ok>[1] & { readonly also?: object } = {},
): Reply {
  const { also, ...rest } = options
  const [versioned] = Object.values(resource)
  const headers = { ...rest.headers, ...(versioned && { ETag: etagOf(versioned) }) }
  return ok({ ...also, ...resource }, { ...rest, headers })
}

/** A document that is equal for all clients, as bytes with their digest. */
export function documentReply(document: object): Reply {
  const body = Buffer.from(JSON.stringify(document))
  const digest = createHash('sha256').update(body).digest('base64url')
  return {
    status: 200,
    body,
    headers: { ETag: `"${digest.slice(0, 16)}"`, 'Cache-Control': 'no-cache' },
  }
}

/** 304 without a body if the client has this response already. */
export function unlessKnown(reply: Reply, request: Request): Reply {
  const etag = reply.headers['ETag']
  const known = request.headers.get('if-none-match')
  if (known === null || etag === undefined) return reply
  const tags = known.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (!tags.includes(etag) && !tags.includes('*')) return reply
  const kept = reply.headers['Cache-Control']
  const headers = { ETag: etag, ...(kept === undefined ? {} : { 'Cache-Control': kept }) }
  return { status: 304, body: null, headers }
}

/** {@link requiredVersion} of the resource that a call names, in a group of the account's services. */
export function ifMatch(
  { request, scope, id }: Call,
  group: 'monitors' | 'contacts' | 'maintenance' | 'publicPages' | 'statusReports',
): Promise<{ readonly version?: number }> {
  return requiredVersion(request, () => scope[group].get(id))
}

/**
 * The version that `If-Match` asks for, as an option of the engine's calls.
 *
 * @throws ConflictError `version_mismatch` where none of the tags can match
 */
export async function requiredVersion(
  request: Request,
  current: () => Promise<Versioned>,
): Promise<{ readonly version?: number }> {
  const wanted = request.headers.get('if-match')?.trim()
  if (wanted === undefined || wanted === '*') return {}
  const versions = [...wanted.matchAll(/(?:^|[\s,])"(\d{1,15})(?:\.[\w-]*)?"/g)].map(([, digits]) =>
    Number(digits),
  )
  if (versions.length === 1) return { version: Number(versions[0]) }
  const { version } = await current()
  if (versions.includes(version)) return { version }
  throw new ConflictError('version_mismatch', 'It has another version by now')
}

function etagOf(resource: Versioned): string {
  const digest = createHash('sha256').update(JSON.stringify(resource)).digest('base64url')
  return `"${resource.version}.${digest.slice(0, 12)}"`
}
