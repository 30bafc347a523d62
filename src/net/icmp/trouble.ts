/**
 * Why a ping program could not do its work, from what it wrote to stderr. Pure.
 *
 * @module
 */

export interface Trouble {
  /** `open`: it did not get a socket, so that it can ping nobody. `send`: this address cannot be sent to. */
  readonly step: 'open' | 'send'
  /** As Node names it. */
  readonly code: string
}

/** The words of glibc, musl and the BSDs for what went wrong. */
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
  // What iputils makes of EACCES: a broadcast address, or a route that forbids it.
  [/do you want to ping broadcast/i, 'EACCES'],
  [/permission denied/i, 'EACCES'],
  [/operation not permitted|must run as root|missing cap_net_raw/i, 'EPERM'],
]

const SENDING = /\b(?:connect|send|sendto|sendmsg|sending|bind|broadcast)\b/i

/** The first trouble that is named, `undefined` where none is. */
export function troubleIn(stderr: string): Trouble | undefined {
  for (const line of stderr.split(/\r?\n/)) {
    const code = WORDS.find(([words]) => words.test(line))?.[1]
    if (code === undefined) continue
    const denied = code === 'EPERM' || code === 'EACCES'
    return { step: denied && !SENDING.test(line) ? 'open' : 'send', code }
  }
  return undefined
}
