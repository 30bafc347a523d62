/**
 * From what people paste (an address, a host, an IDN) to the name that somebody has registered.
 *
 * @module
 */

import { domainToASCII, domainToUnicode } from 'node:url'
import { getDomain } from 'tldts'
import * as v from 'valibot'
import { defineField } from '../../fields/field.ts'
import type { FieldBuilder } from '../../fields/field.ts'
import { parseHost } from '../../fields/host.ts'
import { textSchema } from '../../fields/text.ts'
import { toAddress } from '../../net/connection/endpoint.ts'

/** What registries accept: letters, digits, hyphens. Underscores stand in host names only. */
const REGISTRABLE_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Long enough for an address with its path. */
const MAX_CHARACTERS = 2048

export type ReadName = { readonly name: string } | { readonly problem: string }

/**
 * The registrable name in A-labels: the public suffix and one label more. Suffixes that private parties
 * hand out (`github.io`) do not count: no registry knows what is below them.
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

/** The name as people read it; the A-labels where they stand for nothing. */
export function unicodeName(name: string): string {
  const unicode = domainToUnicode(name)
  return unicode === '' ? name : unicode
}

/** Whether a name that a registry tells, in whatever spelling, is this one (in A-labels). */
export function isSameName(told: string, name: string): boolean {
  const bare = told.trim().replace(/\.$/, '').toLowerCase()
  return bare === name || domainToASCII(bare) === name
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
  // The URL parser would take these for something else, or drop them.
  if (/[\s\\]/.test(text)) return undefined
  const address = text.includes('://') ? text : `http://${text}`
  // Only for the schemes of the web does it bring a host to its canonical form.
  const web = address.replace(/^[a-z][a-z0-9+.-]*:\/\//i, 'http://')
  if (!URL.canParse(web)) return undefined
  const url = new URL(web)
  if (url.username !== '' || url.password !== '') return undefined
  return parseHost(url.hostname)
}
