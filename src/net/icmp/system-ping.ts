/**
 * The default {@link PingBackend}: the `ping` program of the system, or `fping` if that does not
 * work.
 *
 * @module
 */

import { systemClock } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { CheckFailure } from '../failure.ts'
import type { Address } from '../connection/endpoint.ts'
import { missingNetwork } from '../guard/own-network.ts'
import type { PingBackend, PingOrder, PingReport } from './backend.ts'
import { programsOf } from './programs.ts'
import type { PingProgram } from './programs.ts'
import { OUTPUT_LIMIT_CHARACTERS, runProgram } from './run-program.ts'
import type { Printed, Transcript } from './transcript.ts'
import { troubleIn } from './transcript.ts'

/** Usual folders of system programs; NixOS has a separate folder for privileged ones. */
const PROGRAM_PATH =
  '/run/wrappers/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin'

export interface SystemPingOptions {
  readonly clock?: Pick<Clock, 'timer' | 'monotonic'>
  /**
   * Folders with programs, separated by `:`. Default: the usual folders; `PATH` is not used. No
   * effect on Windows.
   */
  readonly path?: string
  /** The platform of the programs. Default: that of this machine. */
  readonly platform?: NodeJS.Platform
}

/** Why a program cannot be used here. */
interface Unfit {
  readonly why: 'missing' | 'forbidden' | 'unreadable'
  readonly program: string
  /** Its output, if it was not recognized. */
  readonly said?: string
}

/**
 * Remembers the program that worked last and tries it first. A program that is installed or gets
 * its permission later is found by the next check.
 */
export function systemPing(options: SystemPingOptions = {}): PingBackend {
  const { clock = systemClock, path = PROGRAM_PATH, platform = process.platform } = options
  const env = platform === 'win32' ? undefined : { PATH: path, LC_ALL: 'C' }
  const programs = programsOf(platform)
  let working: PingProgram | undefined

  async function ask(program: PingProgram, order: PingOrder): Promise<PingReport | Unfit> {
    let printed: Printed
    try {
      printed = await runProgram(program.command(order), {
        ...order,
        clock,
        env,
        answered: (sofar) => program.read(sofar).replies.length > 0,
      })
    } catch (error) {
      return unfitToStart(error, program, order)
    }
    return judge(program, printed, order)
  }

  return {
    async ping(order) {
      const unfit: Unfit[] = []
      const from = clock.monotonic()
      for (const program of new Set([working ?? programs[0], ...programs])) {
        if (program === undefined) continue
        const budget_ms = Math.max(1, order.budget_ms - (clock.monotonic() - from))
        const outcome = await ask(program, { ...order, budget_ms })
        if (!('why' in outcome)) {
          working = program
          return outcome
        }
        unfit.push(outcome)
      }
      throw new CheckFailure('probe_unsupported', remedy(unfit))
    },
  }
}

const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR'])
const FORBIDDEN: ReadonlySet<unknown> = new Set(['EPERM', 'EACCES'])

function unfitToStart(error: unknown, { name }: PingProgram, { signal }: PingOrder): Unfit {
  if (signal.aborted || error instanceof CheckFailure) throw error
  const { code } = error as NodeJS.ErrnoException
  if (MISSING.has(code)) return { why: 'missing', program: name }
  if (FORBIDDEN.has(code)) return { why: 'forbidden', program: name }
  const text = `This machine could not start the program ${name} (${code ?? 'unknown reason'})`
  throw new CheckFailure('probe_overloaded', text, { cause: error })
}

function judge(
  program: PingProgram,
  printed: Printed,
  { address, count }: PingOrder,
): PingReport | Unfit {
  if (printed.cut === true) throw new CheckFailure('too_long', tooLong(program))
  const transcript = program.read(printed)
  const isOurs = transcript.replies.every(({ index }) => index < count)
  if (!isOurs)
    return { why: 'unreadable', program: program.name, said: 'more replies than packets' }
  if (transcript.replies.length > 0 || transcript.error !== null) return reportOf(transcript)
  const trouble = troubleIn(printed.stderr)
  if (trouble?.step === 'open') return { why: 'forbidden', program: program.name }
  if (trouble !== undefined) throw unsendable(trouble.code, address)
  if (transcript.sent !== undefined && !transcript.incomplete) return reportOf(transcript)
  const said = firstLine(printed.stderr) ?? firstLine(printed.stdout) ?? 'nothing'
  return { why: 'unreadable', program: program.name, said }
}

function tooLong({ name }: PingProgram): string {
  const limit = OUTPUT_LIMIT_CHARACTERS.toLocaleString('en-US')
  return `The program ${name} printed more than the ${limit} characters that are read`
}

function reportOf({ sent, replies, duplicates, error }: Transcript): PingReport {
  const seen = Math.max(0, ...replies.map(({ index }) => index + 1))
  return { sent: Math.max(seen, sent ?? 0), replies, duplicates, error }
}

/** A local failure before sending: routes, firewall rules or no network. */
function unsendable(code: string, { address, family }: Address): CheckFailure {
  const missing = missingNetwork({ code }, family)
  if (missing !== undefined) return new CheckFailure(missing.code, missing.message)
  const [cause, text] = UNSENDABLE[code] ?? ['host_unreachable', 'There is no way to {address}']
  return new CheckFailure(cause, text.replace('{address}', address))
}

const UNSENDABLE: Readonly<Record<string, readonly [cause: string, text: string]>> = {
  ENETUNREACH: ['host_unreachable', 'There is no way to the network of {address}'],
  ENETDOWN: ['probe_offline', 'The network of this location is down'],
  ENOBUFS: ['probe_overloaded', 'This machine is out of network buffers'],
  EADDRNOTAVAIL: ['probe_unsupported', 'This machine has no address to ping {address} from'],
  EAFNOSUPPORT: ['probe_unsupported', 'This machine does not have the address family of {address}'],
  EACCES: ['probe_unsupported', 'This machine does not permit to ping {address}'],
  EPERM: ['probe_unsupported', 'The firewall of this machine does not permit to ping {address}'],
}

/** Shows the remedy for the program that came closest to working. */
function remedy(unfit: readonly Unfit[]): string {
  const { why, program, said } =
    unfit.find((each) => each.why === 'forbidden') ??
    unfit.find((each) => each.why === 'unreadable') ??
    ({ why: 'missing', program: 'ping' } as const satisfies Unfit)
  if (why === 'forbidden') {
    return (
      `This machine does not let ${program} send ICMP: setcap cap_net_raw+ep on the program, the ` +
      'capability NET_RAW for the container, or sysctl -w net.ipv4.ping_group_range="0 2147483647"'
    )
  }
  if (why === 'missing') {
    return 'This machine has no ping program: apt-get install iputils-ping (or fping)'
  }
  return `The program ${program} of this machine says what nobody here understands: ${said ?? ''}`
}

/** Output other than visible ASCII is not shown. */
function firstLine(text: string): string | undefined {
  const line = text.split(/\r?\n/).find((each) => each.trim() !== '')
  return line
    ?.replace(/[^ -~]/g, ' ')
    .trim()
    .slice(0, 200)
}
