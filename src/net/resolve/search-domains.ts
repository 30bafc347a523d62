/**
 * The search domains of the system, which c-ares does not try for single queries.
 *
 * @module
 */

import { open } from 'node:fs/promises'

const SYSTEM_CONFIGURATION = '/etc/resolv.conf'

/** What is read of the file. */
const LIMIT_BYTES = 2 ** 16

/** As many as glibc took for decades; resolvers of containers have three to five. */
const MAX_DOMAINS = 6

/** The domains in the order in which they are tried; none if the file cannot be read, as on Windows. */
export async function searchDomains(
  path: string = SYSTEM_CONFIGURATION,
): Promise<readonly string[]> {
  try {
    const file = await open(path, 'r')
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(LIMIT_BYTES), 0, LIMIT_BYTES, 0)
      return parseConfiguration(buffer.toString('utf8', 0, bytesRead))
    } finally {
      await file.close()
    }
  } catch {
    return []
  }
}

/** The last line of `search` or `domain` counts (resolv.conf(5)). */
function parseConfiguration(text: string): readonly string[] {
  let domains: readonly string[] = []
  for (const line of text.split('\n')) {
    const [keyword, ...words] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/)
    if (keyword === 'search') domains = words
    else if (keyword === 'domain') domains = words.slice(0, 1)
  }
  return domains
    .map((domain) => domain.replace(/\.$/, ''))
    .filter((domain) => domain !== '')
    .slice(0, MAX_DOMAINS)
}
