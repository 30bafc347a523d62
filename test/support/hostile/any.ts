/**
 * Misbehaviour before any protocol can be told: for every checker that opens a stream.
 *
 * @module
 */

import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { SharedCause } from '../../../src/checkers/causes.ts'
import { certificates } from '../certificates.ts'
import type { Peer } from './peer.ts'
import type { Ending, HostileProtocol, HostileServer, Script } from './rig.ts'
import { listen } from './rig.ts'

export interface Casting {
  readonly protocol: HostileProtocol
  readonly does: string
  readonly script: Script
  readonly ends?: Ending
  readonly expect?: readonly SharedCause[]
}

/** One row of the table. */
export function hostile({ protocol, does, script, ...rest }: Casting): HostileServer {
  return { name: `${protocol}: ${does}`, protocol, start: () => listen(script), ...rest }
}

/** The same as {@link hostile} behind a TLS handshake that goes well. */
export function hostileBehindTls(casting: Casting): HostileServer {
  const script: Script = async (peer) => casting.script(await peer.secure())
  return { ...hostile({ ...casting, script }), secure: true }
}

/** Two rows: one that closes at this point and one that resets. */
export function cutOff(
  protocol: HostileProtocol,
  where: string,
  before: (peer: Peer) => Promise<void>,
): HostileServer[] {
  return ENDINGS.map((ends) =>
    hostile({
      protocol,
      does: `${ends} ${where}`,
      ends,
      expect: CUT_OFF_CAUSES[ends],
      script: endingAfter(before, ends),
    }),
  )
}

export const ENDINGS: readonly Ending[] = ['closes', 'resets']

export const CUT_OFF_CAUSES: Readonly<Record<Ending, readonly SharedCause[]>> = {
  closes: ['closed_early'],
  // Which of the two a client sees depends on how far it has read.
  resets: ['connect_reset', 'closed_early'],
}

export function endingAfter(before: (peer: Peer) => Promise<void>, ends: Ending): Script {
  return async (peer) => {
    await before(peer)
    if (ends === 'closes') return peer.close()
    // A reset overtakes what was said and not read yet.
    await peer.pause(30)
    // On a busy machine a timer comes before the client's turn to read, which a check phase does not.
    await setImmediate()
    peer.reset()
  }
}

export const SSH_BANNER = 'SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n'
export const HTTP_ERROR =
  'HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<h1>Bad Request</h1>\n'
/** A TLS alert, fatal, handshake_failure: what a TLS server says to those who speak plain. */
export const TLS_ALERT = Buffer.of(0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x28)

const protocol = 'any'

export const ANY: readonly HostileServer[] = [
  hostile({ protocol, does: 'accepts and says nothing', script: () => {} }),
  hostile({
    protocol,
    does: 'accepts and never reads',
    script: (peer) => peer.deafen(),
  }),
  ...cutOff(protocol, 'after it has accepted', async () => {}),
  ...cutOff(protocol, 'after the first bytes of the client', async (peer) => {
    await peer.hearBytes(1)
  }),
  hostile({
    protocol,
    does: 'drips a zero byte every 50 ms',
    script: (peer) => peer.drip(new Uint8Array(100_000)),
  }),
  hostile({
    protocol,
    does: 'drips a line of letters that never ends',
    script: (peer) => peer.drip('a'.repeat(100_000)),
  }),
  hostile({
    protocol,
    does: 'sends random bytes without end',
    script: (peer) => peer.flood(randomBytes(16_384)),
  }),
  hostile({
    protocol,
    does: 'sends 64 random bytes and goes silent',
    script: (peer) => peer.say(randomBytes(64)),
  }),
  hostile({
    protocol,
    does: 'sends zero bytes without end',
    script: (peer) => peer.flood(new Uint8Array(16_384)),
  }),
  hostile({
    protocol,
    does: 'sends one line without end',
    script: (peer) => peer.flood('x'.repeat(16_384)),
  }),
  hostile({
    protocol,
    does: 'sends empty lines without end',
    script: (peer) => peer.flood('\r\n'.repeat(8192)),
  }),
  hostile({
    protocol,
    does: 'greets as SSH',
    script: (peer) => peer.say(SSH_BANNER),
  }),
  hostile({
    protocol,
    does: 'echoes',
    script: async (peer) => {
      for (;;) await peer.say(await peer.hear(/[^]+/))
    },
  }),
  hostile({
    protocol,
    does: 'speaks TLS only and says nothing behind it',
    script: async (peer) => void (await peer.secure()),
  }),
  hostile({
    protocol,
    does: 'sends a certificate as text',
    script: (peer) => peer.say(certificates().good.chain),
  }),
]
