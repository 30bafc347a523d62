/**
 * What servers of other protocols say: the greeting first, then an answer to whatever is asked.
 *
 * @module
 */

import { filled, numbered } from './document.ts'

export interface HostileDialogue {
  readonly name: string
  readonly type: 'smtp' | 'pop3' | 'imap' | 'ftp' | 'tcp'
  readonly settings?: Readonly<Record<string, unknown>>
  readonly says: () => readonly Buffer[]
}

const KiB = 1024

export const hostileDialogues: readonly HostileDialogue[] = [
  {
    name: 'smtp: a greeting of 13,000 lines',
    type: 'smtp',
    says: () => [filled('220-\n', 64 * KiB)],
  },
  {
    name: 'smtp: 13,000 capabilities',
    type: 'smtp',
    says: () => [Buffer.from('220 a\r\n'), filled('250-\n', 64 * KiB)],
  },
  {
    name: 'smtp: a line without end',
    type: 'smtp',
    says: () => [filled('220 a', 4096 * KiB)],
  },
  {
    name: 'pop3: a greeting full of at signs',
    type: 'pop3',
    settings: { user: 'a', pass: 'b', tls: 'none' },
    says: () => [
      Buffer.from(`+OK <${'@'.repeat(8_000)}\r\n`),
      Buffer.from('+OK\r\nX\r\n.\r\n'),
      Buffer.from('-ERR\r\n'),
    ],
  },
  {
    name: 'pop3: 20,000 capabilities',
    type: 'pop3',
    says: () => [Buffer.from('+OK a\r\n'), Buffer.from(`+OK\r\n${'a\n'.repeat(32_000)}`)],
  },
  {
    name: 'imap: 20,000 lines unasked',
    type: 'imap',
    says: () => [Buffer.from('* OK a\r\n'), filled('* \n', 64 * KiB)],
  },
  {
    name: 'imap: literals of nothing',
    type: 'imap',
    says: () => [Buffer.from('* OK a\r\n'), filled('* {0}\r\n', 64 * KiB)],
  },
  {
    name: 'imap: capabilities in one line',
    type: 'imap',
    says: () => [
      Buffer.from('* OK a\r\n'),
      Buffer.from(`* CAPABILITY ${numbered(1_300, (n) => `A${n}`, ' ')}\r\n`),
    ],
  },
  {
    name: 'ftp: a greeting of 60,000 lines',
    type: 'ftp',
    says: () => [Buffer.concat([Buffer.from('220-a\n'), filled('\n', 64 * KiB)])],
  },
  {
    name: 'tcp: a banner of the longest kind',
    type: 'tcp',
    settings: { banner_regex: '(?:a|b)*a(?:a|b){60}[cd]{3}[yz]' },
    says: () => [filled('ab', 64 * KiB)],
  },
]
