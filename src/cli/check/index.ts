/**
 * `watchpost check`: one check now, for a person, a script, or a monitoring system that runs plugins.
 *
 * @module
 */

import type { AnyChecker } from '../../checkers/checker.ts'
import { CHECKER_TYPES, loadChecker } from '../../checkers/by-type.ts'
import type { BuiltinOptions } from '../../checkers/index.ts'
import { parseSettings, runCheck } from '../../engine/checks/run-check.ts'
import { ConfigurationError } from '../../errors.ts'
import { describe } from '../../fields/describe.ts'
import type { TimedOutcome } from '../../engine/api/views.ts'
import { EXIT, textFlag } from '../command.ts'
import type { Call, Command, Flags, Words } from '../command.ts'
import { readSettings, settingFlags, settingsHelp } from '../environment.ts'
import { builtinOptions, PROVIDER_SETTINGS } from '../providers.ts'
import { lineLogger } from '../logger.ts'
import { say, sayJson } from '../terminal.ts'
import { report } from './report.ts'
import { valueSources } from './sources.ts'
import { watch } from './watch.ts'
import { readWords } from './words.ts'

const SETTINGS = ['targets', ...PROVIDER_SETTINGS, 'log_level'] as const
const MAX_TIMEOUT_MS = 600_000
const MAX_WATCH_SEC = 86_400
/** A day and a bit at one per second. */
const MAX_COUNT = 100_000

export const command: Command = {
  help: `watchpost check <type> [address] key=value … [--json | --verbose] [--watch sec [--count n]] [--timeout-ms n]

One check now. Give the address alone, or as a setting (url, host, dns_name, …); a host may have a port behind
it. A value that parses as JSON is read as JSON; a dotted key sets a nested field. With key@= the value is read
from env:NAME, file:PATH, or - for stdin, without a line break at its end. Use that for passwords: every user of
the machine can read a command line.

  watchpost check http https://example.com expected_status=200-299
  watchpost check tcp example.com:443 tls=true
  watchpost check http url=https://example.com auth.user=me auth.pass@=env:SHOP_PASS
  watchpost check dns dns_name=example.com 'expected=["192.0.2.1"]' --json
  watchpost check ping host=example.com --watch 5     every 5 seconds until Ctrl-C, then a summary

  --json           The outcome as one JSON document; with --watch one per line, without a summary
  --verbose        All measurements, with chains, hops and attempts
  --watch          Again every so many seconds, a line for each check (off)
  --count          How many checks --watch makes at most (${MAX_COUNT})
  --timeout-ms     Deadline of the whole check
${settingsHelp(SETTINGS)}

Exit code: 0 ok, 2 failing, 3 unknown (the check could not measure), 64 wrong usage. With --watch it is
2 if any check failed, otherwise 3 if any was unknown or none was made.
"watchpost types" lists the types, "watchpost types http" the fields of one.`,
  options: {
    json: { type: 'boolean' },
    verbose: { type: 'boolean' },
    watch: { type: 'string' },
    count: { type: 'string' },
    'timeout-ms': { type: 'string' },
    ...settingFlags(SETTINGS),
  },
  words: knownWords,
  run,
}

const EXIT_OF = { ok: EXIT.ok, fail: EXIT.failing, unknown: EXIT.unknown } as const

async function run({ flags, words, env }: Call): Promise<number> {
  const settings = readSettings(SETTINGS, { flags, env })
  const { targets, log_level } = settings
  const timeout_ms = numberFlag(flags, 'timeout-ms', MAX_TIMEOUT_MS)
  const every_sec = numberFlag(flags, 'watch', MAX_WATCH_SEC)
  const count = numberFlag(flags, 'count', MAX_COUNT)
  if (count !== undefined && every_sec === undefined) {
    throw new ConfigurationError('--count goes with --watch (see --help)')
  }
  const [type, ...rest] = words
  const checker = await checkerOf(type, await builtinOptions(settings))
  const input = await readWords(checker.fields, rest, valueSources(env).read)
  const subject = `${checker.type} ${checker.target(parseSettings(checker, input) as never)}`
  const check = (signal?: AbortSignal): Promise<TimedOutcome> =>
    runCheck(checker, input as never, {
      targets,
      logger: lineLogger(log_level),
      ...(timeout_ms === undefined ? {} : { timeout_ms }),
      ...(signal === undefined ? {} : { signal }),
    })
  const json = flags['json'] === true
  const verbose = flags['verbose'] === true
  if (every_sec !== undefined) {
    return watch({ every_sec, count: count ?? MAX_COUNT, subject, json, check })
  }
  const outcome = await check()
  if (json) sayJson(outcome)
  else for (const line of report(outcome, subject, checker, { verbose })) say(line)
  return EXIT_OF[outcome.verdict]
}

/** A type, and what may be set of it. */
async function knownWords(): Promise<Words> {
  const checkers = await Promise.all(CHECKER_TYPES.map((type) => loadChecker(type)))
  const active = checkers.flatMap((each) => (each?.push === undefined ? (each ?? []) : []))
  const keysOf = ({ fields }: AnyChecker) =>
    describe(fields).map(({ name, secret }) => `${name}${secret === true ? '@=' : '='}`)
  return { known: Object.fromEntries(active.map((each) => [each.type, keysOf(each)])) }
}

async function checkerOf(type: string | undefined, options: BuiltinOptions): Promise<AnyChecker> {
  const checker = type === undefined ? undefined : await loadChecker(type, options)
  if (checker === undefined) {
    const problem = type === undefined ? 'a type is expected' : `there is no type "${type}"`
    throw new ConfigurationError(`${problem}; there are ${CHECKER_TYPES.join(', ')}`)
  }
  if (checker.push === undefined) return checker
  throw new ConfigurationError(
    `${checker.type} waits for calls of your job, so there is nothing to check from here: create a ` +
      'monitor of this type, and let the job call its ping_url',
  )
}

const UNITS = { 'timeout-ms': 'milliseconds', watch: 'seconds', count: 'checks' } as const

function numberFlag(flags: Flags, name: keyof typeof UNITS, most: number): number | undefined {
  const text = textFlag(flags, name)
  if (text === undefined) return undefined
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (value >= 1 && value <= most) return value
  throw new ConfigurationError(`--${name}: "${text}": 1 to ${most} ${UNITS[name]} are expected`)
}
