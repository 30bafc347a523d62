/**
 * Turns user input (a URL, a host, an IDN) into the registrable name.
 *
 * @module
 */

import { domainToUnicode } from 'node:url'
import { getDomain } from 'tldts'
import * as v from 'valibot'
import { defineField } from '../../fields/field.ts'
import type { FieldBuilder } from '../../fields/field.ts'
import { parseHost } from '../../fields/url.ts'
import { textSchema } from '../../fields/text.ts'
import { toAddress } from '../../net/connection/endpoint.ts'
import { asciiName } from '../../net/dns/names.ts'
import { canParseUrl } from '../../model/url.ts'

/** Registries accept letters, digits and hyphens. Underscores occur in host names only. */
const REGISTRABLE_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Long enough for a URL with its path. */
const MAX_CHARACTERS = 2048

export type ReadName = { readonly name: string } | { readonly problem: string }

/**
 * The registrable name in A-labels: the public suffix and one more label. Private suffixes
 * (`github.io`) do not count: no registry knows the names below them.
 */
function readName(text: string): ReadName {
  const host = hostOf(text)
  if (host === undefined) return { problem: 'a domain name, a host name or a URL is expected' }
  if (toAddress(host) !== undefined) return { problem: 'an IP address is not registered as a name' }
  const name = getDomain(host, { allowPrivateDomains: false, validateHostname: false })
  if (name === null) return { problem: `${host} is nothing that one can register a name as` }
  const valid = name.split('.').every((label) => REGISTRABLE_LABEL.test(label))
  return valid ? { name } : { problem: `${name} is no name that can be registered` }
}

/** The name in Unicode; A-labels that cannot be decoded stay. */
export function unicodeName(name: string): string {
  const unicode = domainToUnicode(name)
  return unicode === '' ? name : unicode
}

/** Whether a name from a registry, in any spelling, equals this one (in A-labels). */
export function isSameName(told: string, name: string): boolean {
  const bare = told.trim().replace(/\.$/, '').toLowerCase()
  return bare === name || asciiName(bare) === name
}

/** See {@link readName}; stored as the registrable name. */
export function domainField(): FieldBuilder<string> {
  const schema = v.pipe(
    textSchema({ max: MAX_CHARACTERS, trim: true }),
    v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
      const read = readName(dataset.value)
      if ('name' in read) return read.name
      addIssue({ message: `invalid: ${read.problem}` })
      return NEVER
    }),
  )
  return defineField(
    {
      kind: 'string',
      format: 'domain',
      min: 1,
      max: MAX_CHARACTERS,
      description:
        'Domain to watch; a host name or a URL is cut to the name that was registered, IDN is stored as A-labels',
      example: 'example.com',
    },
    schema,
  )
}

function hostOf(text: string): string | undefined {
  // The URL parser would drop or reinterpret these.
  if (/[\s\\]/.test(text)) return undefined
  const address = text.includes('://') ? text : `http://${text}`
  // The URL parser canonicalizes the host of web schemes only.
  const web = address.replace(/^[a-z][a-z0-9+.-]*:\/\//i, 'http://')
  if (!canParseUrl(web)) return undefined
  const url = new URL(web)
  if (url.username !== '' || url.password !== '') return undefined
  return parseHost(url.hostname)
}
