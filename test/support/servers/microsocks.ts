/**
 * MicroSocks: a SOCKS 5 proxy that asks every client for one user and password (RFC 1929).
 *
 * @module
 */

import type { RunningServer } from './harness.ts'
import { startServer } from './harness.ts'
import type { ServerNeed } from './binaries.ts'
import { findBinary, required } from './binaries.ts'

export const microsocksServer: ServerNeed = {
  name: 'MicroSocks',
  packages: 'microsocks',
  locate: () => findBinary(['microsocks']),
}

/** `login`: `user:password`. */
export function startMicrosocks(login: string): Promise<RunningServer<'socks'>> {
  const [user = '', password = ''] = login.split(':')
  return startServer({
    name: 'microsocks',
    binary: required(microsocksServer),
    ports: ['socks'],
    args: ({ ports }) => [
      ...['-i', '127.0.0.1', '-p', String(ports.socks)],
      ...['-u', user, '-P', password],
    ],
  })
}
