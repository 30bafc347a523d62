/**
 * The programs that can ping, how each is asked, and who reads what it prints.
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

/** In the order in which they are tried. */
export function programsOf(platform: NodeJS.Platform): readonly PingProgram[] {
  if (platform === 'win32') return [windowsPing]
  return [BSDS.has(platform) ? bsdPing(platform) : linuxPing, fping]
}

const BSDS: ReadonlySet<NodeJS.Platform> = new Set(['darwin', 'freebsd', 'openbsd', 'netbsd'])

/**
 * iputils and BusyBox take the same options, so that nobody has to ask first which of them it is. No
 * `-w`: with it iputils goes on beyond `-c` until that many replies are there, which hides the loss.
 */
const linuxPing: PingProgram = {
  name: 'ping',
  command: (order) => [
    'ping',
    order.address.family === 4 ? '-4' : '-6',
    ...['-n', '-c', `${order.count}`, '-i', seconds(order.interval_ms)],
    // Whole seconds: BusyBox takes no others.
    ...['-W', `${Math.max(1, Math.floor(order.reply_wait_ms / 1000))}`],
    ...['--', literal(order)],
  ],
  read: (printed) => readUnixPing(printed, 1),
}

/** A program of its own for IPv6. Only macOS and FreeBSD have `-W`, in milliseconds, and only for IPv4. */
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

/** One packet a second, whatever is asked for. */
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

/** Milliseconds as seconds with at most three decimals, never in exponents. */
function seconds(ms: number): string {
  return String(Math.ceil(ms) / 1000)
}

/** The last line of defence: nothing but an address ever reaches a command line. */
function literal({ address }: PingOrder): string {
  if (toAddress(address.address)?.address === address.address) return address.address
  throw new CheckFailure('host_unreachable', 'What is to be pinged is not an address')
}
