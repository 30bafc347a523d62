/**
 * Parses the output of ping programs. Pure: one function per family of programs.
 *
 * @module
 */

import type { IcmpError } from '../net.ts'
import type { PingReply } from './backend.ts'

/** The output of a program until it ended or was ended. */
export interface Printed {
  readonly stdout: string
  readonly stderr: string
  /** It printed more than is read. */
  readonly cut?: boolean
}

export interface Transcript {
  /** Packets sent, `undefined` if the text does not say. */
  readonly sent: number | undefined
  readonly replies: readonly PingReply[]
  readonly duplicates: number
  readonly error: IcmpError | null
  /** The summary counts more replies than were parsed: the format is unknown. */
  readonly incomplete: boolean
}

const REPLY =
  /^\d+ bytes from (?<from>[\da-f:.%\w]*[\da-f])[:,]? .*?(?<name>(?:icmp_)?[rs]eq)=(?<seq>\d+)(?: (?:ttl|hlim)=(?<ttl>\d+))? time=(?<time>[\d.]+) ms(?<rest>.*)$/i

/** iputils writes the first form, the BSDs the second. */
const ICMP_ERRORS = [
  /^From (?<from>[\da-f:.%\w]*[\da-f]):? icmp_seq=\d+ (?<text>.+)$/i,
  /^\d+ bytes from (?<from>[\da-f:.%\w]*[\da-f]): (?<text>(?!.*[rs]eq=).+)$/i,
]

const SUMMARY = /^(?<sent>\d+) packets transmitted, (?<received>\d+) (?:packets )?received/

/** iputils (Linux), BusyBox, and the BSDs with macOS; IPv4 and IPv6. */
export function readUnixPing({ stdout }: Printed, firstSeq: 0 | 1): Transcript {
  const gathered = gather()
  let summary: { readonly sent: number; readonly received: number } | undefined
  for (const line of linesOf(stdout)) {
    const reply = REPLY.exec(line)?.groups
    if (reply !== undefined) {
      // The programs do not count a reply with a bad checksum either.
      if (/bad checksum/i.test(reply.rest ?? '')) continue
      // BusyBox writes `seq` and counts from 0.
      const first = reply.name === 'seq' ? 0 : firstSeq
      const ttl = reply.ttl === undefined ? null : Number(reply.ttl)
      gathered.reply(Number(reply.seq) - first, Number(reply.time), ttl)
      continue
    }
    for (const form of ICMP_ERRORS) gathered.error(form.exec(line)?.groups)
    const counts = SUMMARY.exec(line)?.groups
    if (counts !== undefined) {
      summary = { sent: Number(counts.sent), received: Number(counts.received) }
    }
  }
  return gathered.transcript(summary)
}

const FPING_REPLY = /^\S+\s+: \[(?<seq>\d+)\], \d+ bytes, (?<time>[\d.]+) ms\b/
const FPING_ERROR = /^(?<text>ICMP .+) from (?<from>\S+) for ICMP Echo sent to /
const FPING_SUMMARY = /^\S+\s+:(?<times>(?: (?:[\d.]+|-))+)$/

/** fping with `-C`: one line per reply, and one with all times at the end. */
export function readFping({ stdout, stderr }: Printed): Transcript {
  const gathered = gather()
  let summary: { readonly sent: number; readonly received: number } | undefined
  for (const line of linesOf(`${stdout}\n${stderr}`)) {
    const reply = FPING_REPLY.exec(line)?.groups
    if (reply !== undefined) gathered.reply(Number(reply.seq), Number(reply.time), null)
    gathered.error(FPING_ERROR.exec(line)?.groups)
    const times = FPING_SUMMARY.exec(line)?.groups?.times?.trim().split(' ')
    if (times === undefined) continue
    summary = { sent: times.length, received: times.filter((time) => time !== '-').length }
  }
  return gathered.transcript(summary)
}

/**
 * `time<1ms` is the shortest time that Windows prints. Its words depend on the system's language;
 * signs and figures do not.
 */
const WINDOWS_REPLY = /^\S.*?[=<] ?(?<time>\d+) ?ms\b(?:.*\bTTL=(?<ttl>\d+))?/
const WINDOWS_ERROR = /^\S.* (?<from>[\da-f.]*[\da-f]|[\da-f]*:[\da-f:]*) ?: (?<text>[^=<]+?)\.?$/i
const WINDOWS_SUMMARY =
  /^\s+\S.*?= ?(?<sent>\d+)\s?,[^=]+= ?(?<received>\d+)\s?,[^=]+= ?\d+(?:\D|$)/

/**
 * Windows in any language. Replies are not numbered: every line before the summary stands for one
 * packet.
 */
export function readWindowsPing({ stdout }: Printed): Transcript {
  const gathered = gather()
  let summary: { readonly sent: number; readonly received: number } | undefined
  // The first line names the target.
  const lines = linesOf(stdout).filter((line) => line.trim() !== '')
  let index = 0
  for (const line of lines.slice(1)) {
    const counts = WINDOWS_SUMMARY.exec(line)?.groups
    if (counts !== undefined) {
      summary = { sent: Number(counts.sent), received: Number(counts.received) }
      break
    }
    // The heading of the statistics.
    if (line.endsWith(':')) continue
    const reply = WINDOWS_REPLY.exec(line)?.groups
    if (reply !== undefined) {
      gathered.reply(index, Number(reply.time), reply.ttl === undefined ? null : Number(reply.ttl))
    } else gathered.error(WINDOWS_ERROR.exec(line)?.groups, 'host_unreachable')
    index += 1
  }
  const transcript = gathered.transcript(summary)
  if (summary === undefined) return { ...transcript, sent: index }
  // Windows counts ICMP errors as received.
  return {
    ...transcript,
    incomplete:
      transcript.replies.length === 0 && transcript.incomplete && transcript.error === null,
  }
}

interface Gathering {
  reply(index: number, rtt_ms: number, ttl: number | null): void
  /** `otherwise`: the kind of an error whose text is not recognized. */
  error(found: Readonly<Record<string, string>> | undefined, otherwise?: IcmpError['kind']): void
  transcript(summary: { readonly sent: number; readonly received: number } | undefined): Transcript
}

function gather(): Gathering {
  const replies = new Map<number, PingReply>()
  let duplicates = 0
  let error: IcmpError | null = null
  return {
    reply(index, rtt_ms, ttl) {
      if (index < 0 || !Number.isFinite(rtt_ms)) return
      if (replies.has(index)) duplicates += 1
      else replies.set(index, { index, rtt_ms, ttl })
    },
    error(found, otherwise) {
      if (found?.text === undefined) return
      const kind = kindOf(found.text) ?? otherwise
      if (kind === undefined) return
      error = { kind, from: found.from ?? null, text: found.text.trim().slice(0, 100) }
    },
    transcript: (summary) => ({
      sent: summary?.sent,
      replies: [...replies.values()].sort((a, b) => a.index - b.index),
      duplicates,
      error,
      incomplete: summary !== undefined && summary.received > replies.size,
    }),
  }
}

/** Redirects, source quenches and the like do not mean that the packet was lost. */
function kindOf(text: string): IcmpError['kind'] | undefined {
  if (/redirect|quench/i.test(text)) return undefined
  if (/time to live exceeded|hop limit|ICMP time exceeded/i.test(text) || /\bTTL\b/.test(text)) {
    return 'ttl_exceeded'
  }
  return /unreachable|prohibited|filtered|no route/i.test(text) ? 'host_unreachable' : undefined
}

function linesOf(text: string): readonly string[] {
  return text.split(/\r?\n/)
}

/** Why a ping program failed, from its stderr. */
interface Trouble {
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
