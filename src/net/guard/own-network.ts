/**
 * Detects whether this machine itself has no network when a connection finds no route.
 *
 * @module
 */

import { networkInterfaces } from 'node:os'
import type { NetworkInterfaceInfo } from 'node:os'
import { CheckFailure } from '../failure.ts'

/** The network interfaces of a machine. */
export type Interfaces = Readonly<
  Record<
    string,
    readonly Pick<NetworkInterfaceInfo, 'address' | 'family' | 'internal'>[] | undefined
  >
>

/** Replaces `error` if this machine has no address of the family; `undefined` if it has one. */
export function missingNetwork(
  error: unknown,
  family: 4 | 6,
  interfaces?: Interfaces,
): CheckFailure | undefined {
  const { code } = (error ?? {}) as NodeJS.ErrnoException
  if (code !== 'ENETUNREACH' && code !== 'EADDRNOTAVAIL') return undefined
  const own = familiesOf(interfaces ?? ownInterfaces())
  if (own.has(family)) return undefined
  const options = { phase: 'connect', cause: error } as const
  if (own.size === 0) {
    return new CheckFailure('probe_offline', 'This location has no network', options)
  }
  return new CheckFailure('probe_unsupported', `This location has no IPv${family}`, options)
}

/**
 * Called only after an error: reading the interfaces opens a file, and the process may have no file
 * descriptors left.
 */
function ownInterfaces(): Interfaces {
  try {
    return networkInterfaces()
  } catch {
    return { unknown: EVERYTHING }
  }
}

/** Assumed if the interfaces cannot be read: no failure is attributed to the machine. */
const EVERYTHING = [
  { address: '192.0.2.1', family: 'IPv4', internal: false },
  { address: '2001:db8::1', family: 'IPv6', internal: false },
] as const

/** Families of the addresses that reach beyond the machine and its link. */
function familiesOf(interfaces: Interfaces): ReadonlySet<number> {
  const all = Object.values(interfaces).flatMap((addresses) => addresses ?? [])
  const reaching = all.filter(
    ({ internal, address }) => !internal && !/^(fe80:|169\.254\.)/i.test(address),
  )
  return new Set(reaching.map(({ family }) => (family === 'IPv4' ? 4 : 6)))
}
