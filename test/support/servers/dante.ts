/**
 * Dante: a SOCKS 5 proxy without a login, since only a server of root could check the passwords of its system; MicroSocks
 * has one.
 *
 * @module
 */

import type { RunningServer } from './harness.ts'
import { startServer } from './harness.ts'
import type { ServerNeed } from './binaries.ts'
import { findBinary, required } from './binaries.ts'

export const danteServer: ServerNeed = {
  name: 'Dante',
  packages: 'dante-server',
  locate: () => findBinary(['danted', 'sockd']),
}

export interface DanteOptions {
  /** Networks to which it opens no way, such as `127.0.0.2/32`. */
  readonly refuse?: readonly string[]
}

export function startDante({ refuse = [] }: DanteOptions = {}): Promise<RunningServer<'socks'>> {
  return startServer({
    name: 'dante',
    binary: required(danteServer),
    ports: ['socks'],
    args: ({ dir }) => ['-f', `${dir}/danted.conf`, '-p', `${dir}/pid`],
    files: ({ ports }) => ({
      'danted.conf': [
        'logoutput: stderr',
        `internal: 127.0.0.1 port = ${ports.socks}`,
        'external: 127.0.0.1',
        'socksmethod: none',
        'clientmethod: none',
        'client pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }',
        ...refuse.map((to) => `socks block { from: 127.0.0.0/8 to: ${to} }`),
        'socks pass { from: 127.0.0.0/8 to: 0.0.0.0/0 protocol: tcp }',
        '',
      ].join('\n'),
    }),
  })
}
