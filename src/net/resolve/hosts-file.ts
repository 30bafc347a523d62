/**
 * The hosts file, which c-ares ignores for single queries.
 *
 * @module
 */

import { open } from 'node:fs/promises'
import { toAddress } from '../connection/endpoint.ts'
import type { Address } from '../connection/endpoint.ts'

const SYSTEM_HOSTS_FILE =
  process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'

/** Only the first 1 MiB is read: a larger file is a block list, not a list of hosts. */
const LIMIT_BYTES = 2 ** 20

/** Errors for which a name counts as unread instead of missing. */
const OUT_OF_FILES: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE'])

type Names = ReadonlyMap<string, readonly Address[]>

export interface HostsFile {
  /**
   * The addresses of a name, in the file's order; empty if the name is not listed or the file
   * cannot be read.
   *
   * @throws the system's error if the process has no file descriptors left
   */
  find(name: string): Promise<readonly Address[]>
}

/** Read on first use and again whenever the file has changed. */
export function createHostsFile(path: string = SYSTEM_HOSTS_FILE): HostsFile {
  let names: Names = new Map()
  let version = ''

  async function refresh(): Promise<void> {
    const file = await open(path, 'r')
    try {
      const { mtimeMs, size } = await file.stat()
      if (version === `${mtimeMs} ${size}`) return
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, LIMIT_BYTES)))
      names = parseHosts(buffer.toString('utf8', 0, bytesRead))
      version = `${mtimeMs} ${size}`
    } finally {
      await file.close()
    }
  }

  return {
    async find(name) {
      try {
        await refresh()
      } catch (error) {
        // Without a readable hosts file a machine resolves by DNS alone.
        if (version === '' && OUT_OF_FILES.has((error as NodeJS.ErrnoException).code)) throw error
      }
      return names.get(name) ?? []
    },
  }
}

/** Lines of `address name alias… # comment`; a name may appear on several lines. */
function parseHosts(text: string): Names {
  const names = new Map<string, Address[]>()
  for (const line of text.split('\n')) {
    const [first, ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/)
    const address = toAddress(first ?? '')
    if (address === undefined) continue
    for (const alias of aliases) {
      const name = alias.toLowerCase().replace(/\.$/, '')
      names.set(name, [...(names.get(name) ?? []), address])
    }
  }
  return names
}
