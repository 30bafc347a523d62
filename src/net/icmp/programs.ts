/**
 * The supported ping programs, their arguments, and the parsers of their output.
 *
 * @module
 */

import { toAddress } from '../connection/endpoint.ts'
import { CheckFailure } from '../failure.ts'
import type { PingOrder } from './backend.ts'
import { readFping, readUnixPing, readWindowsPing } from './transcript.ts'
import type { Printed, Transcript } from './transcript.ts'

export interface PingProgram {
  readonly name: string
  command(order: PingOrder): readonly [file: string, ...args: string[]]
  read(printed: Printed): Transcript
}

/** In order of preference. */
export function programsOf(platform: NodeJS.Platform): readonly PingProgram[] {
  if (platform === 'win32') return [windowsPing]
  return [BSDS.has(platform) ? bsdPing(platform) : linuxPing, fping]
}

const BSDS: ReadonlySet<NodeJS.Platform> = new Set(['darwin', 'freebsd', 'openbsd', 'netbsd'])

/**
 * iputils and BusyBox accept the same options, so the variant need not be detected first. No `-w`:
 * with it iputils continues beyond `-c` until that many replies have arrived, which hides the loss.
 */
const linuxPing: PingProgram = {
  name: 'ping',
  command: (order) => [
    'ping',
    order.address.family === 4 ? '-4' : '-6',
    ...['-n', '-c', `${order.count}`, '-i', seconds(order.interval_ms)],
    // Whole seconds: BusyBox accepts no fractions.
    ...['-W', `${Math.max(1, Math.floor(order.reply_wait_ms / 1000))}`],
    ...['--', literal(order)],
  ],
  read: (printed) => readUnixPing(printed, 1),
}

/**
 * IPv6 has a separate program. Only macOS and FreeBSD have `-W`, in milliseconds, and only for
 * IPv4.
 */
function bsdPing(platform: NodeJS.Platform): PingProgram {
  const waits = platform === 'darwin' || platform === 'freebsd'
  return {
    name: 'ping',
    command: (order) => [
      order.address.family === 4 ? 'ping' : 'ping6',
      ...['-n', '-c', `${order.count}`, '-i', seconds(order.interval_ms)],
      ...(waits && order.address.family === 4 ? ['-W', `${Math.ceil(order.reply_wait_ms)}`] : []),
      ...['--', literal(order)],
    ],
    read: (printed) => readUnixPing(printed, 0),
  }
}

/** Always sends one packet a second. */
const windowsPing: PingProgram = {
  name: 'ping',
  command: (order) => [
    'ping',
    order.address.family === 4 ? '-4' : '-6',
    ...['-n', `${order.count}`, '-w', `${Math.ceil(order.reply_wait_ms)}`],
    literal(order),
  ],
  read: readWindowsPing,
}

/** Version 4 and later. */
const fping: PingProgram = {
  name: 'fping',
  command: (order) => [
    'fping',
    order.address.family === 4 ? '-4' : '-6',
    ...['-C', `${order.count}`, '-p', `${Math.ceil(order.interval_ms)}`],
    ...['-t', `${Math.ceil(order.reply_wait_ms)}`],
    ...['--', literal(order)],
  ],
  read: readFping,
}

/** Milliseconds as seconds with at most three decimals, never in exponential notation. */
function seconds(ms: number): string {
  return String(Math.ceil(ms) / 1000)
}

/** Ensures that only an address reaches a command line. */
function literal({ address }: PingOrder): string {
  if (toAddress(address.address)?.address === address.address) return address.address
  throw new CheckFailure('host_unreachable', 'What is to be pinged is not an address')
}
