/**
 * A machine whose name servers know no name, and whose own lookups (`getaddrinfo`) stay silent.
 *
 * @module
 */

import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { onTestFinished } from 'vitest'

export interface SilentSystem {
  /** The names that the system was asked for. */
  readonly asked: readonly string[]
  /** Ends each of these lookups: there is no such name. */
  readonly answers: readonly (() => void)[]
}

/** As before when the test ends. */
export function silentSystem(): SilentSystem {
  const { lookup } = dns.promises
  const { resolve4, resolve6 } = dns.promises.Resolver.prototype
  const asked: string[] = []
  const answers: (() => void)[] = []
  const missing = Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
  const change = (given: object, resolver: object) => {
    Object.assign(dns.promises, given)
    Object.assign(dns.promises.Resolver.prototype, resolver)
    syncBuiltinESMExports()
  }
  const unknown = () => Promise.reject(missing)
  const ask = (host: string) => {
    asked.push(host)
    return new Promise((_, reject) => answers.push(() => reject(missing)))
  }
  change({ lookup: ask }, { resolve4: unknown, resolve6: unknown })
  onTestFinished(() => {
    change({ lookup }, { resolve4, resolve6 })
    for (const answer of answers) answer()
  })
  return { asked, answers }
}
