/**
 * The entries of a feed, with a lookup of targets.
 *
 * @module
 */

import { contains, parseCidr, parseIp } from '../../net/guard/ip.ts'
import type { Cidr } from '../../net/guard/ip.ts'
import { createFeedIndex } from './feed-index.ts'
import type { Subject } from './target.ts'
import { canParseUrl } from '../../model/url.ts'
import { asciiName } from '../../net/dns/names.ts'

export interface FeedContent {
  /** Number of distinct entries. */
  readonly size: number
  /** Adds a domain, `*.domain`, a URL, an address or a range; anything else is ignored. */
  add(item: string): void
  /** The entry that matches the target. */
  find(subject: Subject): string | undefined
}

/** Maximum characters of an entry. */
export const LONGEST_ITEM = 8192

export function createFeedContent(): FeedContent {
  const index = createFeedIndex()
  /** Prefix lengths that occur: each is looked up, and there are few. */
  const prefixes = { 4: new Set<number>(), 6: new Set<number>() }

  function addRange(range: Cidr): void {
    prefixes[range.family].add(range.prefix)
    index.add(rangeKey(range))
  }

  function findAddress(address: string): string | undefined {
    const ip = parseIp(address)
    if (ip === undefined) return undefined
    const bits = ip.family === 4 ? 32 : 128
    for (const prefix of prefixes[ip.family]) {
      const rest = BigInt(bits - prefix)
      const range: Cidr = { family: ip.family, value: (ip.value >> rest) << rest, prefix }
      if (contains(range, ip) && index.has(rangeKey(range))) {
        return prefix === bits ? address : `${address} in a range of /${prefix}`
      }
    }
    return undefined
  }

  return {
    get size() {
      return index.size
    },
    add(item) {
      // No name or page of a target is as long.
      if (item.length > LONGEST_ITEM) return
      const text = item.trim()
      if (text === '') return
      if (text.includes('://')) {
        addUrl(index.add, text)
        return
      }
      const range = rangeOf(text)
      if (range !== undefined) {
        addRange(range)
        return
      }
      const isMask = text.startsWith('*.')
      const name = nameOf(isMask ? text.slice(2) : text)
      if (name !== undefined) index.add(isMask ? `*.${name}` : name)
    },
    find(subject) {
      const { host, url, isAddress } = subject
      const keys = [...(isAddress ? [] : nameKeys(host)), ...pageKeys(host, url)]
      const found = keys.find((key) => index.has(key))
      if (found !== undefined) return found.replace(/^:/, '')
      for (const address of subject.addresses) {
        const entry = findAddress(address)
        if (entry !== undefined) return entry
      }
      return undefined
    },
  }
}

/** The name itself, and every wildcard that covers it; a wildcard covers its own domain too. */
function nameKeys(host: string): readonly string[] {
  const labels = host.split('.')
  return [host, ...labels.map((_, at) => `*.${labels.slice(at).join('.')}`)]
}

/** The page, and the front page, to which a host as a target refers. */
function pageKeys(host: string, url: string | null): readonly string[] {
  const front = `:${host.includes(':') ? `[${host}]` : host}/`
  if (url === null) return [front]
  const page = pageKey(new URL(url))
  return page === front ? [front] : [page, front]
}

function addUrl(add: (key: string) => void, text: string): void {
  if (canParseUrl(text)) add(pageKey(new URL(text)))
}

/** Without scheme and fragment. The colon distinguishes pages from names. */
function pageKey({ hostname, port, pathname, search }: URL): string {
  return `:${hostname.replace(/\.$/, '')}${port === '' ? '' : `:${port}`}${pathname}${search}`
}

function rangeOf(text: string): Cidr | undefined {
  // The cheap test first: nearly all entries are names.
  if (!/^[\d.]+(?:\/\d+)?$|:/.test(text)) return undefined
  try {
    return parseCidr(text)
  } catch {
    return undefined
  }
}

function rangeKey({ family, value, prefix }: Cidr): string {
  return `${family}/${prefix}/${value.toString(16)}`
}

function nameOf(text: string): string | undefined {
  const bare = text.replace(/\.$/, '').toLowerCase()
  const name = asciiName(bare)
  return name === '' || !/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(name) ? undefined : name
}
