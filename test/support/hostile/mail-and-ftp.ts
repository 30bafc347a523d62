/**
 * SMTP, IMAP, POP3 and FTP misbehave alike: greeting, then lines, then a switch to TLS.
 *
 * @module
 */

import { cutOff, hostile, HTTP_ERROR, SSH_BANNER, TLS_ALERT } from './any.ts'
import type { Peer } from './peer.ts'
import type { HostileServer } from './rig.ts'

interface Dialect {
  readonly protocol: 'smtp' | 'imap' | 'pop3' | 'ftp'
  readonly greeting: string
  /** A line after which more have to come, in a greeting or an answer. */
  readonly more: string
  /** What asks for TLS, and the consent. `before` is what leads up to it. */
  readonly wantsTls: RegExp
  readonly consent: string
  readonly refusal: string
  /** Answers a command in a way that the client goes on; `undefined` when the command asks for TLS. */
  readonly goOn: (command: string) => string
}

export const LINE: RegExp = /[^\n]*\n/

export const tagOf = (command: string): string => /^\S+/.exec(command)?.[0] ?? 'a1'

const DIALECTS: readonly Dialect[] = [
  {
    protocol: 'smtp',
    greeting: '220 mx.example.test ESMTP\r\n',
    more: '220-and so on\r\n',
    wantsTls: /^STARTTLS/i,
    consent: '220 Ready to start TLS\r\n',
    refusal: '454 TLS not available\r\n',
    goOn: () => '250-mx.example.test\r\n250-AUTH PLAIN LOGIN\r\n250 STARTTLS\r\n',
  },
  {
    protocol: 'imap',
    greeting: '* OK [CAPABILITY IMAP4rev1 STARTTLS AUTH=PLAIN] ready\r\n',
    more: '* OK and so on\r\n',
    wantsTls: /^\S+ STARTTLS/i,
    consent: 'OK Begin TLS\r\n',
    refusal: 'NO TLS not available\r\n',
    goOn: (command) =>
      `* CAPABILITY IMAP4rev1 STARTTLS AUTH=PLAIN\r\n${tagOf(command)} OK done\r\n`,
  },
  {
    protocol: 'pop3',
    greeting: '+OK ready\r\n',
    more: '+OK and so on\r\n',
    wantsTls: /^STLS/i,
    consent: '+OK Begin TLS\r\n',
    refusal: '-ERR TLS not available\r\n',
    goOn: (command) => (/^CAPA/i.test(command) ? '+OK\r\nSTLS\r\nUSER\r\n.\r\n' : '+OK\r\n'),
  },
  {
    protocol: 'ftp',
    greeting: '220 ready\r\n',
    more: '220-and so on\r\n',
    wantsTls: /^AUTH TLS/i,
    consent: '234 Proceed\r\n',
    refusal: '502 TLS not available\r\n',
    goOn: (command) => (/^USER/i.test(command) ? '331 Password?\r\n' : '200 done\r\n'),
  },
]

/** Answers every command until the client asks for TLS; returns that command. */
async function untilTlsIsWanted(peer: Peer, dialect: Dialect): Promise<string> {
  await peer.say(dialect.greeting)
  for (;;) {
    const command = await peer.hear(LINE)
    if (dialect.wantsTls.test(command)) return command
    await peer.say(dialect.goOn(command))
  }
}

function consentTo(command: string, dialect: Dialect): string {
  return dialect.protocol === 'imap' ? `${tagOf(command)} ${dialect.consent}` : dialect.consent
}

export const MAIL_AND_FTP: readonly HostileServer[] = DIALECTS.flatMap((dialect) => [
  ...greetings(dialect),
  ...answers(dialect),
  ...switches(dialect),
])

function greetings({ protocol, greeting, more }: Dialect): HostileServer[] {
  const half = greeting.slice(0, Math.ceil(greeting.length / 2)).trimEnd()
  return [
    ...cutOff(protocol, 'after half a greeting', (peer) => peer.say(half)),
    hostile({
      protocol,
      does: 'goes silent after half a greeting',
      expect: ['banner_timeout'],
      script: (peer) => peer.say(half),
    }),
    hostile({
      protocol,
      does: 'drips its greeting',
      expect: ['banner_timeout'],
      script: (peer) => peer.drip(more.trimEnd() + 'z'.repeat(100_000)),
    }),
    hostile({
      protocol,
      does: 'greets with one line without end',
      expect: ['too_long'],
      async script(peer) {
        await peer.say(more.trimEnd())
        await peer.flood('z'.repeat(16_384))
      },
    }),
    hostile({
      protocol,
      does: 'greets with lines without end',
      script: (peer) => peer.flood(more.repeat(500)),
    }),
    hostile({
      protocol,
      does: 'greets with zero bytes among the letters',
      script: (peer) => peer.say(greeting.replaceAll('e', 'e\0')),
    }),
    hostile({
      protocol,
      does: 'greets with control characters and invalid UTF-8',
      script: (peer) => peer.say(greeting.replace('ready', '\x1b[2J\x07\xff\xfe')),
    }),
    ...[
      { does: 'greets as SSH', says: SSH_BANNER },
      { does: 'greets as HTTP', says: HTTP_ERROR },
      { does: 'greets with a TLS alert', says: TLS_ALERT },
    ].map(({ does, says }) =>
      hostile({ protocol, does, expect: ['protocol_error'], script: (peer) => peer.say(says) }),
    ),
  ]
}

function answers(dialect: Dialect): HostileServer[] {
  const { protocol, greeting, more } = dialect
  const greeted = async (peer: Peer): Promise<void> => {
    await peer.say(greeting)
    await peer.hear(LINE)
  }
  return [
    ...cutOff(protocol, 'after the greeting', greeted),
    hostile({ protocol, does: 'greets and goes silent', script: greeted }),
    hostile({
      protocol,
      does: 'answers the first command with lines without end',
      async script(peer) {
        await greeted(peer)
        await peer.flood(more.replace(/^220/, '250').repeat(500))
      },
    }),
    hostile({
      protocol,
      does: 'answers the first command with one line without end',
      expect: ['too_long'],
      async script(peer) {
        await greeted(peer)
        await peer.flood('y'.repeat(16_384))
      },
    }),
    hostile({
      protocol,
      does: 'drips its first answer',
      async script(peer) {
        await greeted(peer)
        await peer.drip(more.repeat(5000))
      },
    }),
    hostile({
      protocol,
      does: 'says goodbye in every line',
      async script(peer) {
        await peer.say(greeting)
        for (;;) {
          await peer.hear(LINE)
          await peer.say(
            { smtp: '421 ', ftp: '421 ', imap: '* BYE ', pop3: '-ERR ' }[protocol] + 'bye\r\n',
          )
        }
      },
    }),
  ]
}

function switches(dialect: Dialect): HostileServer[] {
  const { protocol, refusal } = dialect
  const consented = async (peer: Peer, injected = ''): Promise<void> => {
    const command = await untilTlsIsWanted(peer, dialect)
    await peer.say(consentTo(command, dialect) + injected)
  }
  return [
    hostile({
      protocol,
      does: 'injects plain text behind its consent to TLS (CVE-2011-0411)',
      expect: ['protocol_error'],
      async script(peer) {
        await consented(peer, dialect.goOn('a1 NOOP'))
        await peer.secure()
      },
    }),
    hostile({
      protocol,
      does: 'consents to TLS and stays plain',
      expect: ['tls_not_tls', 'tls_handshake', 'protocol_error'],
      async script(peer) {
        await consented(peer)
        await peer.hearBytes(5)
        await peer.say(dialect.greeting)
      },
    }),
    hostile({
      protocol,
      does: 'consents to TLS and goes silent',
      expect: ['tls_timeout'],
      script: (peer) => consented(peer),
    }),
    ...cutOff(protocol, 'after its consent to TLS', (peer) => consented(peer)),
    hostile({
      protocol,
      does: 'goes silent behind the TLS handshake',
      async script(peer) {
        await consented(peer)
        await peer.secure()
      },
    }),
    hostile({
      protocol,
      does: 'offers TLS and refuses it',
      expect: ['tls_unsupported'],
      async script(peer) {
        const command = await untilTlsIsWanted(peer, dialect)
        await peer.say(protocol === 'imap' ? `${tagOf(command)} ${refusal}` : refusal)
      },
    }),
  ]
}
