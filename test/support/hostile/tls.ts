/**
 * Misbehaviour on the way into TLS.
 *
 * @module
 */

import { randomBytes } from 'node:crypto'
import type { HostileServer } from './rig.ts'
import { cutOff, endingAfter, hostile, hostileBehindTls, HTTP_ERROR, TLS_ALERT } from './any.ts'
import type { Peer } from './peer.ts'

const protocol = 'tls'

/** The header of a record and of a ServerHello that is longer than what follows. */
const HALF_SERVER_HELLO = Buffer.concat([
  Buffer.of(0x16, 0x03, 0x03, 0x00, 0x7a, 0x02, 0x00, 0x00, 0x76, 0x03, 0x03),
  Buffer.alloc(20, 7),
])

const clientHello = async (peer: Peer): Promise<void> => void (await peer.hearBytes(5))

export const TLS: readonly HostileServer[] = [
  hostile({
    protocol,
    does: 'answers the ClientHello in plain HTTP',
    expect: ['tls_not_tls'],
    async script(peer) {
      await clientHello(peer)
      await peer.say(HTTP_ERROR)
    },
  }),
  hostile({
    protocol,
    does: 'greets in plain text before the ClientHello',
    expect: ['tls_not_tls'],
    script: (peer) => peer.say('220 mx.example.test ESMTP\r\n'),
  }),
  hostile({
    protocol,
    does: 'answers the ClientHello with silence',
    expect: ['tls_timeout'],
    script: clientHello,
  }),
  hostile({
    protocol,
    does: 'goes silent in the middle of the ServerHello',
    expect: ['tls_timeout'],
    async script(peer) {
      await clientHello(peer)
      await peer.say(HALF_SERVER_HELLO)
    },
  }),
  hostile({
    protocol,
    does: 'drips a ServerHello',
    expect: ['tls_timeout', 'tls_handshake'],
    async script(peer) {
      await clientHello(peer)
      await peer.drip(Buffer.concat([HALF_SERVER_HELLO, Buffer.alloc(100, 7)]))
    },
  }),
  hostile({
    protocol,
    does: 'sends an alert',
    expect: ['tls_handshake', 'tls_protocol'],
    async script(peer) {
      await clientHello(peer)
      await peer.say(TLS_ALERT)
      peer.close()
    },
  }),
  hostile({
    protocol,
    does: 'sends a record that is longer than records may be',
    expect: ['tls_handshake', 'tls_not_tls'],
    async script(peer) {
      await clientHello(peer)
      await peer.say(Buffer.concat([Buffer.of(0x16, 0x03, 0x03, 0xff, 0xff), randomBytes(65_535)]))
    },
  }),
  hostile({
    protocol,
    does: 'sends warnings without end',
    expect: ['tls_handshake', 'tls_timeout'],
    async script(peer) {
      await clientHello(peer)
      await peer.flood(Buffer.of(0x15, 0x03, 0x03, 0x00, 0x02, 0x01, 0x5a))
    },
  }),
  hostile({
    protocol,
    does: 'sends back the ClientHello',
    expect: ['tls_handshake', 'tls_not_tls'],
    async script(peer) {
      for (;;) await peer.say(await peer.hear(/[^]+/))
    },
  }),
  hostile({
    protocol,
    does: 'knows TLS 1.0 and 1.1 only',
    expect: ['tls_protocol', 'tls_handshake'],
    script: async (peer) =>
      void (await peer.secure({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1' })),
  }),
  ...cutOff(protocol, 'after the ClientHello', clientHello),
  ...cutOff(protocol, 'in the middle of the ServerHello', async (peer) => {
    await clientHello(peer)
    await peer.say(HALF_SERVER_HELLO)
  }),
  hostileBehindTls({
    protocol,
    does: 'closes as soon as the handshake is over',
    ends: 'closes',
    script: (peer) => peer.close(),
  }),
  hostileBehindTls({
    protocol,
    does: 'resets as soon as the handshake is over',
    ends: 'resets',
    script: endingAfter(() => Promise.resolve(), 'resets'),
  }),
  hostileBehindTls({
    protocol,
    does: 'sends random bytes without end behind the handshake',
    script: (peer) => peer.flood(randomBytes(16_384)),
  }),
]
