/**
 * Whether it is this machine that has no network, when a connection finds no route.
 *
 * @module
 */

import { networkInterfaces } from 'node:os'
import type { NetworkInterfaceInfo } from 'node:os'
import { CheckFailure } from './failure.ts'

/** What a machine knows of its own network. */
export type Interfaces = Readonly<
  Record<
    string,
    readonly Pick<NetworkInterfaceInfo, 'address' | 'family' | 'internal'>[] | undefined
  >
>

/** What stands for `error` where this machine has no address of the family; `undefined` where it has one. */
export function missingNetwork(
  error: unknown,
  family: 4 | 6,
  interfaces: Interfaces = networkInterfaces(),
): CheckFailure | undefined {
  const { code } = (error ?? {}) as NodeJS.ErrnoException
  if (code !== 'ENETUNREACH' && code !== 'EADDRNOTAVAIL') return undefined
  const own = familiesOf(interfaces)
  if (own.has(family)) return undefined
  const options = { phase: 'connect', cause: error } as const
  if (own.size === 0) {
    return new CheckFailure('probe_offline', 'This location has no network', options)
  }
  return new CheckFailure('probe_unsupported', `This location has no IPv${family}`, options)
}

/** Families of the addresses that reach beyond the machine and its link. */
function familiesOf(interfaces: Interfaces): ReadonlySet<number> {
  const all = Object.values(interfaces).flatMap((addresses) => addresses ?? [])
  const reaching = all.filter(
    ({ internal, address }) => !internal && !/^(fe80:|169\.254\.)/i.test(address),
  )
  return new Set(reaching.map(({ family }) => (family === 'IPv4' ? 4 : 6)))
}
