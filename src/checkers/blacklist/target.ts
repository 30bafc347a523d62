/**
 * What is looked up on the lists: the host, its registrable domain, its addresses, the page.
 *
 * @module
 */

import * as v from 'valibot'
import { getDomain } from 'tldts'
import { defineField } from '../../fields/field.ts'
import type { FieldBuilder } from '../../fields/field.ts'
import { parseHost, parseUrl } from '../../fields/url.ts'
import { textSchema } from '../../fields/text.ts'
import { judgeAddress } from '../../net/guard/address.ts'
import { toAddress } from '../../net/connection/endpoint.ts'

export interface BlacklistTarget {
  /** Name as A-labels, or address. */
  readonly host: string
  /** The page, if the target is a URL. */
  readonly url: string | null
  /** The host is an address and is not resolved. */
  readonly isAddress: boolean
}

/** The target with the current addresses of its name. */
export interface Subject extends BlacklistTarget {
  /** Public ones only, at most `MAX_ADDRESSES`. */
  readonly addresses: readonly string[]
}

/** Maximum addresses per name that are looked up. */
export const MAX_ADDRESSES = 8

/** No public list contains these, and a query would reveal internal addresses to third parties. */
const NOT_FOR_LISTS: ReadonlySet<string> = new Set([
  'unparsable',
  'zone_id',
  'unspecified',
  'loopback',
  'link_local',
  'metadata',
  'private',
  'shared',
  'multicast',
])

export function isPublic(address: string): boolean {
  return !NOT_FOR_LISTS.has(judgeAddress(address) ?? '')
}

/** Parses a stored target. */
export function readTarget(stored: string): BlacklistTarget {
  const url = stored.includes('://') ? new URL(stored) : undefined
  const host = url?.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '') ?? stored
  return { host, url: url?.href ?? null, isAddress: toAddress(host) !== undefined }
}

/** The names to look up on lists of domains, the registrable one first. */
export function domainNames({ host, isAddress }: BlacklistTarget): readonly string[] {
  if (isAddress) return []
  const registrable = getDomain(host, { allowPrivateDomains: false, validateHostname: false })
  return [...new Set([registrable ?? host, host])]
}

/** A host, address or URL; stored in canonical spelling. */
export function targetField(): FieldBuilder<string> {
  const schema = v.pipe(
    textSchema({ max: 2048, trim: true }),
    v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
      const read = canonicalTarget(dataset.value)
      if ('target' in read) return read.target
      addIssue({ message: `invalid: ${read.problem}` })
      return NEVER
    }),
  )
  return defineField(
    {
      kind: 'string',
      format: 'target',
      min: 1,
      max: 2048,
      description: 'Host name, IP address, or web address that must not be on a list',
      example: 'mail.example.com',
    },
    schema,
  )
}

function canonicalTarget(text: string): { readonly target: string } | { readonly problem: string } {
  const parsed = text.includes('://') ? parseUrl(text) : undefined
  if (parsed?.ok === false) return parsed
  const target = parsed?.url ?? parseHost(text)
  if (target === undefined) return { problem: 'a host name, an IP address or a URL is expected' }
  const { host, isAddress } = readTarget(target)
  if (isAddress && !isPublic(host)) return { problem: 'a public address is expected' }
  return { target }
}
