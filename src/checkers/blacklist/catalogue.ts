/**
 * Known DNS blocklists, the meaning of their codes, and their terms of use. Curated by hand: lists
 * that have shut down may answer "listed" to everything (RFC 6471, 3.4), and lists of *good*
 * senders use the same protocol.
 *
 * Codes and terms are those that the lists publish on their own pages.
 *
 * @module
 */

export type ListKind = 'ipv4' | 'ipv6' | 'domain'

/** Codes of the list and their meaning; an answer may have several codes. */
export interface CodeTable {
  /** `values`: one meaning per address. `bits`: the last octet is a bit mask. */
  readonly by: 'values' | 'bits'
  readonly categories: Readonly<Partial<Record<string, string>>>
}

export interface Blocklist {
  /** Stable; used in the `lists` setting of a monitor. */
  readonly id: string
  readonly zone: string
  readonly title: string
  /** The kinds of entries that can be looked up. */
  readonly kinds: readonly ListKind[]
  /**
   * Keyed by an address like `127.0.0.2`, or by a number if `by` is `bits`. Without an entry:
   * `listed`.
   */
  readonly codes?: CodeTable | undefined
  /** Codes of a refused query, besides 127.255.255.0/24. */
  readonly refusals?: readonly string[] | undefined
  /** Test entries that differ from those of RFC 5782, 5. */
  readonly selfTest?: { readonly listed: string; readonly unlisted: string } | undefined
  /** Ids of lists whose entries this list includes. */
  readonly includes?: readonly string[] | undefined
  /** Free to use at the rate of a monitor, without registration. */
  readonly free: boolean
  /** Terms of use, for the operator. */
  readonly terms: string
  readonly delist_url: string
}

const SPAMHAUS_TERMS =
  'Free for low volume and non-commercial use; not through public resolvers. Otherwise a Data Query Service key is needed'

const SPAMHAUS_CODES = {
  '127.0.0.2': 'spam',
  '127.0.0.3': 'spam',
  '127.0.0.4': 'exploited',
  '127.0.0.5': 'exploited',
  '127.0.0.6': 'exploited',
  '127.0.0.7': 'exploited',
  '127.0.0.9': 'hijacked',
  // Ranges from which the owner allows no mail: usual for dial-up and home connections.
  '127.0.0.10': 'policy',
  '127.0.0.11': 'policy',
  '127.0.0.30': 'botnet',
} as const

export const CATALOGUE: readonly Blocklist[] = [
  {
    id: 'spamhaus-zen',
    zone: 'zen.spamhaus.org',
    title: 'Spamhaus ZEN (SBL, CSS, XBL, PBL)',
    kinds: ['ipv4', 'ipv6'],
    codes: { by: 'values', categories: SPAMHAUS_CODES },
    includes: ['spamhaus-sbl', 'spamhaus-xbl', 'spamhaus-pbl'],
    free: false,
    terms: SPAMHAUS_TERMS,
    delist_url: 'https://check.spamhaus.org/',
  },
  spamhausPart('sbl', 'SBL and CSS: spam operations', ['ipv4', 'ipv6']),
  spamhausPart('xbl', 'XBL: exploited machines', ['ipv4', 'ipv6']),
  spamhausPart('pbl', 'PBL: ranges that are not to send mail', ['ipv4', 'ipv6']),
  {
    id: 'spamhaus-dbl',
    zone: 'dbl.spamhaus.org',
    title: 'Spamhaus DBL: domains in spam',
    kinds: ['domain'],
    codes: {
      by: 'values',
      categories: {
        '127.0.1.2': 'spam',
        '127.0.1.4': 'phishing',
        '127.0.1.5': 'malware',
        '127.0.1.6': 'botnet',
        '127.0.1.102': 'abused',
        '127.0.1.103': 'abused',
        '127.0.1.104': 'phishing',
        '127.0.1.105': 'malware',
        '127.0.1.106': 'botnet',
      },
    },
    // The query was for an address, which this list does not support.
    refusals: ['127.0.1.255'],
    selfTest: { listed: 'dbltest.com', unlisted: 'example.com' },
    free: false,
    terms: SPAMHAUS_TERMS,
    delist_url: 'https://check.spamhaus.org/',
  },
  {
    id: 'surbl',
    zone: 'multi.surbl.org',
    title: 'SURBL: sites linked in spam',
    kinds: ['domain'],
    codes: {
      by: 'bits',
      categories: { '8': 'phishing', '16': 'malware', '64': 'spam', '128': 'abused' },
    },
    refusals: ['127.0.0.1'],
    selfTest: { listed: 'test.surbl.org', unlisted: 'example.com' },
    free: false,
    terms: 'Free for small organisations at low volume; not through public resolvers',
    delist_url: 'https://surbl.org/surbl-analysis',
  },
  {
    id: 'uribl',
    zone: 'multi.uribl.com',
    title: 'URIBL: domains in spam',
    kinds: ['domain'],
    codes: { by: 'bits', categories: { '2': 'spam', '4': 'grey', '8': 'new' } },
    refusals: ['127.0.0.1'],
    selfTest: { listed: 'test.uribl.com', unlisted: 'example.com' },
    free: false,
    terms: 'Free at low volume; not through public resolvers',
    delist_url: 'https://admin.uribl.com/',
  },
  {
    id: 'barracuda',
    zone: 'b.barracudacentral.org',
    title: 'Barracuda Reputation Block List',
    kinds: ['ipv4'],
    codes: { by: 'values', categories: { '127.0.0.2': 'spam' } },
    free: false,
    terms: 'Free after registering the addresses of the name servers that ask',
    delist_url: 'https://www.barracudacentral.org/rbl/removal-request',
  },
  {
    id: 'spamcop',
    zone: 'bl.spamcop.net',
    title: 'SpamCop Blocking List',
    kinds: ['ipv4'],
    codes: { by: 'values', categories: { '127.0.0.2': 'spam' } },
    free: true,
    terms: 'Free',
    delist_url: 'https://www.spamcop.net/bl.shtml',
  },
  {
    id: 'psbl',
    zone: 'psbl.surriel.com',
    title: 'Passive Spam Block List',
    kinds: ['ipv4'],
    codes: { by: 'values', categories: { '127.0.0.2': 'spam' } },
    free: true,
    terms: 'Free',
    delist_url: 'https://psbl.org/remove',
  },
  {
    id: 'dronebl',
    zone: 'dnsbl.dronebl.org',
    title: 'DroneBL: abusable and compromised machines',
    kinds: ['ipv4', 'ipv6'],
    codes: {
      by: 'values',
      categories: {
        '127.0.0.3': 'drone',
        '127.0.0.5': 'drone',
        '127.0.0.6': 'spam',
        '127.0.0.7': 'drone',
        '127.0.0.8': 'proxy',
        '127.0.0.9': 'proxy',
        '127.0.0.10': 'proxy',
        '127.0.0.11': 'proxy',
        '127.0.0.13': 'brute_force',
        '127.0.0.14': 'proxy',
        '127.0.0.15': 'exploited',
        '127.0.0.16': 'exploited',
        '127.0.0.17': 'botnet',
      },
    },
    free: true,
    terms: 'Free, commercial use included',
    delist_url: 'https://dronebl.org/lookup',
  },
  {
    id: 'uceprotect-1',
    zone: 'dnsbl-1.uceprotect.net',
    title: 'UCEPROTECT Level 1: single addresses',
    kinds: ['ipv4'],
    codes: { by: 'values', categories: { '127.0.0.2': 'spam' } },
    free: true,
    terms: 'Free over DNS',
    delist_url: 'https://www.uceprotect.net/en/rblcheck.php',
  },
  {
    id: 'mailspike',
    zone: 'bl.mailspike.net',
    title: 'Mailspike Blacklist',
    kinds: ['ipv4'],
    codes: { by: 'values', categories: { '127.0.0.2': 'spam' } },
    free: true,
    terms: 'Free up to 100,000 look-ups a day',
    delist_url: 'https://mailspike.org/iplookup.html',
  },
  {
    id: 'blocklist-de',
    zone: 'bl.blocklist.de',
    title: 'blocklist.de: attacks on servers',
    kinds: ['ipv4', 'ipv6'],
    free: true,
    terms: 'Free',
    delist_url: 'https://www.blocklist.de/en/delist.html',
  },
  {
    id: 's5h',
    zone: 'all.s5h.net',
    title: 's5h.net: sources of spam',
    kinds: ['ipv4', 'ipv6'],
    free: true,
    terms: 'Free',
    delist_url: 'https://www.usenix.org.uk/content/rbl.html',
  },
]

function spamhausPart(part: string, title: string, kinds: readonly ListKind[]): Blocklist {
  return {
    id: `spamhaus-${part}`,
    zone: `${part}.spamhaus.org`,
    title: `Spamhaus ${title}`,
    kinds,
    codes: { by: 'values', categories: SPAMHAUS_CODES },
    free: false,
    terms: SPAMHAUS_TERMS,
    delist_url: 'https://check.spamhaus.org/',
  }
}

/** Meanings of the codes, each once; `listed` if a code has no meaning. */
export function categoriesOf({ codes }: Blocklist, addresses: readonly string[]): string[] {
  const categories = addresses.flatMap((address) => meanings(codes, address))
  return [...new Set(categories)].sort()
}

/** Every category of these lists; a monitor may ignore some. */
export function allCategories(lists: readonly Blocklist[]): ReadonlySet<string> {
  const known = lists.flatMap(({ codes }) => Object.values(codes?.categories ?? {}))
  return new Set(['listed', ...known.flatMap((category) => category ?? [])])
}

function meanings(codes: CodeTable | undefined, address: string): readonly string[] {
  if (codes?.by !== 'bits') return [codes?.categories[address] ?? 'listed']
  const octet = Number(address.split('.')[3])
  const bits = Object.entries(codes.categories).filter(([bit]) => (octet & Number(bit)) !== 0)
  return bits.length === 0 ? ['listed'] : bits.flatMap(([, category]) => category ?? [])
}
