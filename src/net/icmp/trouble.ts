/**
 * Why a ping program failed, from its stderr. Pure.
 *
 * @module
 */

export interface Trouble {
  /**
   * `open`: it could not open a socket and cannot ping any address. `send`: it cannot send to this
   * address.
   */
  readonly step: 'open' | 'send'
  /** The error code as in Node. */
  readonly code: string
}

/** The error messages of glibc, musl and the BSDs. */
const WORDS: readonly (readonly [words: RegExp, code: string])[] = [
  [/network (?:is )?unreachable/i, 'ENETUNREACH'],
  [/no route to host|host (?:is )?unreachable/i, 'EHOSTUNREACH'],
  [/host is down/i, 'EHOSTDOWN'],
  [/network is down/i, 'ENETDOWN'],
  [
    /cannot assign requested address|can't assign requested address|address not available/i,
    'EADDRNOTAVAIL',
  ],
  [/address family (?:for hostname )?not supported/i, 'EAFNOSUPPORT'],
  [/no buffer space available/i, 'ENOBUFS'],
  [/invalid argument$/i, 'EINVAL'],
  // The message of iputils for EACCES: a broadcast address, or a route that forbids it.
  [/do you want to ping broadcast/i, 'EACCES'],
  [/permission denied/i, 'EACCES'],
  [/operation not permitted|must run as root|missing cap_net_raw/i, 'EPERM'],
]

const SENDING = /\b(?:connect|send|sendto|sendmsg|sending|bind|broadcast)\b/i

/** The first known error, `undefined` if there is none. */
export function troubleIn(stderr: string): Trouble | undefined {
  for (const line of stderr.split(/\r?\n/)) {
    const code = WORDS.find(([words]) => words.test(line))?.[1]
    if (code === undefined) continue
    const denied = code === 'EPERM' || code === 'EACCES'
    return { step: denied && !SENDING.test(line) ? 'open' : 'send', code }
  }
  return undefined
}
