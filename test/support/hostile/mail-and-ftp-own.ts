/**
 * What only SMTP, only IMAP, only POP3 or only FTP can do wrong.
 *
 * @module
 */

import { hostile } from './any.ts'
import { LINE, tagOf } from './mail-and-ftp.ts'
import type { HostileProtocol, HostileServer } from './rig.ts'

/** Says the lines one by one: the first at once, each further one after a command. */
function turns(protocol: HostileProtocol, does: string, says: readonly string[]): HostileServer {
  return hostile({
    protocol,
    does,
    async script(peer) {
      for (const [i, words] of says.entries()) {
        const command = i === 0 ? '' : await peer.hear(LINE)
        await peer.say(words.replaceAll('<tag>', tagOf(command)))
      }
    },
  })
}

/** The first line at once, then the same answer to every command. */
function stuck(
  protocol: HostileProtocol,
  does: string,
  says: { readonly first: string; readonly always: string },
): HostileServer {
  return hostile({
    protocol,
    does,
    async script(peer) {
      await peer.say(says.first)
      for (;;) {
        const command = await peer.hear(LINE)
        await peer.say(says.always.replaceAll('<tag>', tagOf(command)))
      }
    },
  })
}

const EHLO = '250-mx.example.test\r\n250 AUTH PLAIN LOGIN\r\n'

export const SMTP_OWN: readonly HostileServer[] = [
  turns('smtp', 'is too busy (421)', ['421 Too many connections\r\n']),
  turns('smtp', 'does not want this client (554)', ['554 No SMTP service here\r\n']),
  turns('smtp', 'greets with 250', ['250 mx.example.test\r\n']),
  turns('smtp', 'greets without a code', ['welcome\r\n']),
  turns('smtp', 'greets with a code that does not exist (999)', ['999 mx.example.test\r\n']),
  turns('smtp', 'changes the code within one answer', [
    '220 mx.example.test\r\n',
    '250-mx.example.test\r\n550 no\r\n',
  ]),
  turns('smtp', 'refuses EHLO and HELO', ['220 mx\r\n', '502 no\r\n', '502 no\r\n']),
  stuck('smtp', 'asks for more of the login without end', {
    first: '220 mx\r\n' + EHLO,
    always: '334 VXNlcm5hbWU6\r\n',
  }),
  turns('smtp', 'asks for the login in broken base64', ['220 mx\r\n', EHLO, '334 %%%\r\n']),
  turns('smtp', 'answers before it is asked', [`220 mx\r\n${EHLO}235 ok\r\n221 bye\r\n`]),
]

const IMAP_GREETING = '* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] ready\r\n'

export const IMAP_OWN: readonly HostileServer[] = [
  turns('imap', 'greets with BYE', ['* BYE overloaded\r\n']),
  turns('imap', 'greets with PREAUTH', ['* PREAUTH you are somebody\r\n']),
  turns('imap', 'greets with NO', ['* NO not today\r\n']),
  turns('imap', 'announces a literal of 4 GB in its greeting', ['* OK {4294967295}\r\n']),
  turns('imap', 'announces a literal of 1 TB in an answer', [
    IMAP_GREETING,
    '* CAPABILITY {1099511627776}\r\nx',
  ]),
  turns('imap', 'announces a literal of a negative length', [IMAP_GREETING, '* OK {-1}\r\n']),
  hostile({
    protocol: 'imap',
    does: 'sends a literal that it announced, and never ends it',
    async script(peer) {
      await peer.say(IMAP_GREETING)
      await peer.hear(LINE)
      await peer.say('* 1 FETCH (BODY {2147483647}\r\n')
      await peer.flood('b'.repeat(16_384))
    },
  }),
  stuck('imap', 'answers under another tag', { first: IMAP_GREETING, always: 'zzz OK done\r\n' }),
  stuck('imap', 'wants more without end', { first: IMAP_GREETING, always: '+ \r\n' }),
  stuck('imap', 'answers BAD to everything', {
    first: IMAP_GREETING,
    always: '<tag> BAD what\r\n',
  }),
  turns('imap', 'opens 100 000 brackets', [IMAP_GREETING, `* LIST ${'('.repeat(100_000)}\r\n`]),
]

export const POP3_OWN: readonly HostileServer[] = [
  turns('pop3', 'greets with -ERR', ['-ERR too busy\r\n']),
  turns('pop3', 'greets with an APOP stamp of 100 KB', [`+OK <${'a'.repeat(100_000)}@x>\r\n`]),
  turns('pop3', 'greets without a status', ['ready\r\n']),
  turns('pop3', 'never ends its list of capabilities', [
    '+OK ready\r\n',
    '+OK\r\nSTLS\r\nUSER\r\n',
  ]),
  stuck('pop3', 'refuses everything', { first: '+OK ready\r\n', always: '-ERR no\r\n' }),
  stuck('pop3', 'wants more without end', { first: '+OK ready\r\n', always: '+ \r\n' }),
]

export const FTP_OWN: readonly HostileServer[] = [
  turns('ftp', 'is too busy (421)', ['421 Too many users\r\n']),
  turns('ftp', 'says that it will be ready later (120)', ['120 Ready in 10 minutes\r\n']),
  turns('ftp', 'ends its greeting under another code', ['220-hello\r\n221 bye\r\n']),
  turns('ftp', 'has lines in its greeting that look like its end', [
    '220-hello\r\n 220 not yet\r\n220-nor here\r\n2200 nor here\r\n',
  ]),
  stuck('ftp', 'asks for the password without end', {
    first: '220 ready\r\n',
    always: '331 Password?\r\n',
  }),
  turns('ftp', 'sends the client to a data port of another host', [
    '220 ready\r\n',
    '331 Password?\r\n',
    '230 welcome\r\n',
    '227 Entering Passive Mode (10,0,0,1,0,22)\r\n',
    '227 Entering Passive Mode (10,0,0,1,0,22)\r\n',
  ]),
  stuck('ftp', 'answers 200 to everything', { first: '220 ready\r\n', always: '200 fine\r\n' }),
]
