import { describe, expect, it } from 'vitest'
import { readFping, readUnixPing, readWindowsPing } from '../../../src/net/icmp/transcript.ts'
import type { Transcript } from '../../../src/net/icmp/transcript.ts'
import { processorMs } from '../../support/turns.ts'

const lines = (...all: string[]): string => `${all.join('\n')}\n`

/** What matters of a transcript, in one line. */
const short = ({ sent, replies, duplicates, error, incomplete }: Transcript) => ({
  sent,
  replies: replies.map(({ index, rtt_ms, ttl }) => `${index}:${rtt_ms}:${ttl ?? '-'}`).join(' '),
  duplicates,
  error: error === null ? null : `${error.kind} ${error.from}: ${error.text}`,
  incomplete,
})

type Expected = Partial<ReturnType<typeof short>>
const NOTHING = { replies: '', duplicates: 0, error: null, incomplete: false }

describe('what a Unix ping printed', () => {
  it.each<[string, 0 | 1, string, Expected]>([
    [
      'iputils, IPv4',
      1,
      lines(
        'PING 127.0.0.1 (127.0.0.1) 56(84) bytes of data.',
        '64 bytes from 127.0.0.1: icmp_seq=1 ttl=64 time=0.041 ms',
        '64 bytes from 127.0.0.1: icmp_seq=2 ttl=64 time=12.9 ms',
        '',
        '--- 127.0.0.1 ping statistics ---',
        '2 packets transmitted, 2 received, 0% packet loss, time 202ms',
        'rtt min/avg/max/mdev = 0.041/6.470/12.900/6.429 ms',
      ),
      { sent: 2, replies: '0:0.041:64 1:12.9:64' },
    ],
    [
      'iputils, IPv6',
      1,
      lines(
        'PING ::1(::1) 56 data bytes',
        '64 bytes from ::1: icmp_seq=1 ttl=64 time=0.181 ms',
        '',
        '--- ::1 ping statistics ---',
        '1 packets transmitted, 1 received, 0% packet loss, time 0ms',
      ),
      { sent: 1, replies: '0:0.181:64' },
    ],
    [
      'iputils of long ago, and time in whole milliseconds',
      1,
      lines(
        '64 bytes from 10.0.0.1: icmp_req=1 ttl=64 time=0.1 ms',
        '64 bytes from 10.0.0.1: icmp_seq=2 ttl=64 time=1204 ms',
        '2 packets transmitted, 2 received, 0% packet loss, time 1001ms',
      ),
      { sent: 2, replies: '0:0.1:64 1:1204:64' },
    ],
    [
      'replies out of order, one missing, one late',
      1,
      lines(
        '64 bytes from 10.0.0.1: icmp_seq=3 ttl=60 time=3 ms',
        '64 bytes from 10.0.0.1: icmp_seq=1 ttl=60 time=900 ms',
        '3 packets transmitted, 2 received, 33.3333% packet loss, time 2003ms',
      ),
      { sent: 3, replies: '0:900:60 2:3:60' },
    ],
    [
      'duplicates, which are no replies of their own',
      1,
      lines(
        '64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=0.5 ms',
        '64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=0.7 ms (DUP!)',
        '64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=0.8 ms (DUP!)',
        '2 packets transmitted, 1 received, +2 duplicates, 50% packet loss, time 1001ms',
      ),
      { sent: 2, replies: '0:0.5:64', duplicates: 2 },
    ],
    [
      'a reply with a bad checksum, which is none',
      1,
      lines(
        '64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=0.5 ms (BAD CHECKSUM!)',
        '1 packets transmitted, 0 received, +1 corrupted, 100% packet loss, time 0ms',
      ),
      { sent: 1 },
    ],
    [
      'a reply from elsewhere, as broadcasts get them',
      1,
      lines(
        '64 bytes from 10.0.0.7: icmp_seq=1 ttl=64 time=0.5 ms (DIFFERENT ADDRESS!)',
        '1 packets transmitted, 1 received, 0% packet loss, time 0ms',
      ),
      { sent: 1, replies: '0:0.5:64' },
    ],
    [
      'a router that says that the host is unreachable',
      1,
      lines(
        'PING 10.8.0.1 (10.8.0.1) 56(84) bytes of data.',
        'From 10.9.0.2 icmp_seq=1 Destination Host Unreachable',
        'From 10.9.0.2 icmp_seq=2 Destination Net Unreachable',
        '',
        '--- 10.8.0.1 ping statistics ---',
        '2 packets transmitted, 0 received, +2 errors, 100% packet loss, time 204ms',
        'pipe 2',
      ),
      { sent: 2, error: 'host_unreachable 10.9.0.2: Destination Net Unreachable' },
    ],
    [
      'a filter on the way',
      1,
      lines(
        'From 10.9.0.2 icmp_seq=1 Packet filtered',
        '2 packets transmitted, 0 received, +1 errors, 100% packet loss, time 200ms',
      ),
      { sent: 2, error: 'host_unreachable 10.9.0.2: Packet filtered' },
    ],
    [
      'a loop',
      1,
      lines(
        'From 10.10.0.2 icmp_seq=1 Time to live exceeded',
        '1 packets transmitted, 0 received, +1 errors, 100% packet loss, time 0ms',
      ),
      { sent: 1, error: 'ttl_exceeded 10.10.0.2: Time to live exceeded' },
    ],
    [
      'a loop over IPv6',
      1,
      lines(
        'From fd09::2 icmp_seq=1 Time exceeded: Hop limit',
        '1 packets transmitted, 0 received, +1 errors, 100% packet loss, time 0ms',
      ),
      { sent: 1, error: 'ttl_exceeded fd09::2: Time exceeded: Hop limit' },
    ],
    [
      'no route over IPv6',
      1,
      lines(
        'From fd09::2 icmp_seq=1 Destination unreachable: No route',
        '1 packets transmitted, 0 received, +1 errors, 100% packet loss, time 0ms',
      ),
      { sent: 1, error: 'host_unreachable fd09::2: Destination unreachable: No route' },
    ],
    [
      'a redirect, which is no error',
      1,
      lines(
        'From 10.9.0.2: icmp_seq=1 Redirect Host(New nexthop: 10.9.0.1)',
        '64 bytes from 10.50.0.1: icmp_seq=1 ttl=62 time=0.5 ms',
        '1 packets transmitted, 1 received, 0% packet loss, time 0ms',
      ),
      { sent: 1, replies: '0:0.5:62' },
    ],
    [
      'BusyBox',
      1,
      lines(
        'PING 127.0.0.1 (127.0.0.1): 56 data bytes',
        '64 bytes from 127.0.0.1: seq=0 ttl=64 time=0.045 ms',
        '64 bytes from 127.0.0.1: seq=1 ttl=64 time=0.070 ms',
        '64 bytes from 127.0.0.1: seq=1 ttl=64 time=0.071 ms (DUP!)',
        '',
        '--- 127.0.0.1 ping statistics ---',
        '3 packets transmitted, 2 packets received, 1 duplicates, 33% packet loss',
        'round-trip min/avg/max = 0.045/0.057/0.070 ms',
      ),
      { sent: 3, replies: '0:0.045:64 1:0.07:64', duplicates: 1 },
    ],
    [
      'macOS',
      0,
      lines(
        'PING 127.0.0.1 (127.0.0.1): 56 data bytes',
        '64 bytes from 127.0.0.1: icmp_seq=0 ttl=64 time=0.042 ms',
        'Request timeout for icmp_seq 1',
        '64 bytes from 127.0.0.1: icmp_seq=2 ttl=64 time=0.101 ms',
        '',
        '--- 127.0.0.1 ping statistics ---',
        '3 packets transmitted, 2 packets received, 33.3% packet loss',
        'round-trip min/avg/max/stddev = 0.042/0.072/0.101/0.030 ms',
      ),
      { sent: 3, replies: '0:0.042:64 2:0.101:64' },
    ],
    [
      'ping6 of macOS and the BSDs',
      0,
      lines(
        'PING6(56=40+8+8 bytes) ::1 --> ::1',
        '16 bytes from ::1, icmp_seq=0 hlim=64 time=0.124 ms',
        '16 bytes from ::1, icmp_seq=1 hlim=64 time=0.157 ms',
        '',
        '--- ::1 ping6 statistics ---',
        '2 packets transmitted, 2 packets received, 0.0% packet loss',
        'round-trip min/avg/max/std-dev = 0.124/0.151/0.173/0.020 ms',
      ),
      { sent: 2, replies: '0:0.124:64 1:0.157:64' },
    ],
    [
      'an error as the BSDs print it',
      0,
      lines(
        '92 bytes from 10.0.0.1: Time to live exceeded',
        'Vr HL TOS  Len   ID Flg  off TTL Pro  cks      Src      Dst',
        ' 4  5  00 5400 0000   0 0000  01  01 a5f6 10.0.0.2  192.0.2.1',
        '1 packets transmitted, 0 packets received, 100.0% packet loss',
      ),
      { sent: 1, error: 'ttl_exceeded 10.0.0.1: Time to live exceeded' },
    ],
    [
      'an end in the middle, without a summary',
      1,
      '64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=0.5 ms\n64 bytes from 10.0.0.1: icmp_seq=2 tt',
      { sent: undefined, replies: '0:0.5:64' },
    ],
    ['nothing', 1, '', { sent: undefined }],
    ['something else', 1, 'Usage: ping [-aAbB] destination\n', { sent: undefined }],
    [
      'replies in words that nobody knows',
      1,
      lines('64 octets de 10.0.0.1', '1 packets transmitted, 1 received, 0% packet loss'),
      { sent: 1, incomplete: true },
    ],
  ])('%s', (_, firstSeq, stdout, expected) => {
    const { sent, ...rest } = expected
    expect(short(readUnixPing({ stdout, stderr: '' }, firstSeq))).toEqual({
      ...NOTHING,
      ...rest,
      sent,
    })
  })

  it('is read in no time, however long and strange', () => {
    const from = processorMs()
    for (const part of [
      '64 bytes from ',
      'From ::::: icmp_seq=',
      ' .:',
      '1 packets transmitted, ',
    ]) {
      readUnixPing({ stdout: part.repeat(64 * 1024).slice(0, 64 * 1024), stderr: '' }, 1)
    }
    expect(processorMs() - from).toBeLessThan(2000)
  })
})

describe('what fping printed', () => {
  it.each<[string, string, string, Expected]>([
    [
      'all answered',
      lines(
        '127.0.0.1 : [0], 64 bytes, 0.030 ms (0.030 avg, 0% loss)',
        '127.0.0.1 : [1], 64 bytes, 0.050 ms (0.040 avg, 0% loss)',
      ),
      lines('', '127.0.0.1 : 0.030 0.050'),
      { sent: 2, replies: '0:0.03:- 1:0.05:-' },
    ],
    [
      'one lost; older versions print a size with it',
      lines(
        '10.0.0.1 : [0], 84 bytes, 1.02 ms (1.02 avg, 0% loss)',
        '10.0.0.1 : [2], 84 bytes, 3.10 ms (2.06 avg, 33% loss)',
      ),
      lines('', '10.0.0.1 : 1.02 - 3.10'),
      { sent: 3, replies: '0:1.02:- 2:3.1:-' },
    ],
    [
      'unreachable',
      lines('10.8.0.1 : [0], timed out (NaN avg, 100% loss)'),
      lines(
        'ICMP Host Unreachable from 10.9.0.2 for ICMP Echo sent to 10.8.0.1',
        '',
        '10.8.0.1 : - -',
      ),
      { sent: 2, error: 'host_unreachable 10.9.0.2: ICMP Host Unreachable' },
    ],
    [
      'a loop',
      '',
      lines('ICMP Time Exceeded from 10.9.0.2 for ICMP Echo sent to 10.8.0.1', '10.8.0.1 : -'),
      { sent: 1, error: 'ttl_exceeded 10.9.0.2: ICMP Time Exceeded' },
    ],
    [
      'IPv6',
      lines('::1 : [0], 64 bytes, 0.030 ms (0.030 avg, 0% loss)'),
      '::1 : 0.03\n',
      {
        sent: 1,
        replies: '0:0.03:-',
      },
    ],
    ['no permission', '', "fping: can't create socket (must run as root?)\n", { sent: undefined }],
  ])('%s', (_, stdout, stderr, { sent, ...rest }) => {
    expect(short(readFping({ stdout, stderr }))).toEqual({ ...NOTHING, ...rest, sent })
  })
})

describe('what the ping of Windows printed', () => {
  const summary = (sent: number, received: number): string[] => [
    '',
    'Ping statistics for 192.0.2.1:',
    `    Packets: Sent = ${sent}, Received = ${received}, Lost = ${sent - received} (0% loss),`,
  ]
  it.each<[string, string, Expected]>([
    [
      'in English',
      lines(
        '',
        'Pinging 192.0.2.1 with 32 bytes of data:',
        'Reply from 192.0.2.1: bytes=32 time<1ms TTL=128',
        'Request timed out.',
        'Reply from 192.0.2.1: bytes=32 time=14ms TTL=128',
        ...summary(3, 2),
        'Approximate round trip times in milli-seconds:',
        '    Minimum = 0ms, Maximum = 14ms, Average = 7ms',
      ),
      { sent: 3, replies: '0:1:128 2:14:128' },
    ],
    [
      'over IPv6, which shows no TTL',
      lines('Pinging ::1 with 32 bytes of data:', 'Reply from ::1: time<1ms ', ...summary(1, 1)),
      { sent: 1, replies: '0:1:-' },
    ],
    [
      'in German',
      lines(
        '',
        'Ping wird ausgeführt für 192.0.2.1 mit 32 Bytes Daten:',
        'Antwort von 192.0.2.1: Bytes=32 Zeit<1ms TTL=128',
        'Zeitüberschreitung der Anforderung.',
        '',
        'Ping-Statistik für 192.0.2.1:',
        '    Pakete: Gesendet = 2, Empfangen = 1, Verloren = 1',
        '    (50% Verlust),',
        'Ca. Zeitangaben in Millisek.:',
        '    Minimum = 0ms, Maximum = 0ms, Mittelwert = 0ms',
      ),
      { sent: 2, replies: '0:1:128' },
    ],
    [
      'in French, with its spaces',
      lines(
        "Envoi d'une requête 'Ping'  192.0.2.1 avec 32 octets de données :",
        'Réponse de 192.0.2.1 : octets=32 temps=5 ms TTL=56',
        '',
        'Statistiques Ping pour 192.0.2.1:',
        '    Paquets : envoyés = 1, reçus = 1, perdus = 0 (perte 0%),',
      ),
      { sent: 1, replies: '0:5:56' },
    ],
    [
      'unreachable, which Windows counts as received',
      lines(
        'Pinging 10.8.0.1 with 32 bytes of data:',
        'Reply from 10.9.0.2: Destination host unreachable.',
        'Reply from 10.9.0.2: Destination host unreachable.',
        ...summary(2, 2),
      ),
      { sent: 2, error: 'host_unreachable 10.9.0.2: Destination host unreachable' },
    ],
    [
      'a loop',
      lines(
        'Pinging 10.8.0.1 with 32 bytes of data:',
        'Reply from 10.9.0.2: TTL expired in transit.',
        ...summary(1, 1),
      ),
      { sent: 1, error: 'ttl_exceeded 10.9.0.2: TTL expired in transit' },
    ],
    [
      'a loop in German',
      lines(
        'Ping wird ausgeführt für 10.8.0.1 mit 32 Bytes Daten:',
        'Antwort von 10.9.0.2: Die Gültigkeitsdauer wurde bei der Übertragung überschritten (TTL).',
        ...summary(1, 1),
      ),
      {
        sent: 1,
        error:
          'ttl_exceeded 10.9.0.2: Die Gültigkeitsdauer wurde bei der Übertragung überschritten (TTL)',
      },
    ],
    [
      'no reply',
      lines('Pinging 192.0.2.1 with 32 bytes of data:', 'Request timed out.', ...summary(1, 0)),
      { sent: 1 },
    ],
    [
      'cut off at the deadline',
      lines(
        'Pinging 192.0.2.1 with 32 bytes of data:',
        'Reply from 192.0.2.1: bytes=32 time=1ms TTL=128',
        'Request timed out.',
      ),
      { sent: 2, replies: '0:1:128' },
    ],
  ])('%s', (_, stdout, { sent, ...rest }) => {
    const crlf = stdout.replaceAll('\n', '\r\n')
    expect(short(readWindowsPing({ stdout: crlf, stderr: '' }))).toEqual({
      ...NOTHING,
      ...rest,
      sent,
    })
  })
})
