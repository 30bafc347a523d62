/**
 * `watchpost check`: one check now, for a person, a script, or a monitoring system that runs plugins.
 *
 * @module
 */

import type { AnyChecker } from '../../checkers/checker.ts'
import { CHECKER_TYPES, loadChecker } from '../../checkers/by-type.ts'
import { parseSettings, runCheck } from '../../engine/run-check.ts'
import { ConfigurationError } from '../../errors.ts'
import type { Outcome } from '../../model.ts'
import { EXIT, textFlag } from '../command.ts'
import type { Call, Command, Flags } from '../command.ts'
import { readSettings, settingFlags, settingsHelp } from '../environment.ts'
import { lineLogger } from '../logger.ts'
import { say, sayJson } from '../terminal.ts'
import { report } from './report.ts'
import { readWords } from './words.ts'

const SETTINGS = ['targets', 'log_level'] as const
const MAX_TIMEOUT_MS = 600_000

export const command: Command = {
  help: `watchpost check <type> key=value … [--json] [--timeout-ms n]

One check now. A value that parses as JSON is taken as JSON, a dotted key nests.

  watchpost check http url=https://example.com expected_status=200-299
  watchpost check http url=https://example.com auth.user=me auth.pass=secret
  watchpost check tcp host=example.com port=443 tls=true
  watchpost check dns dns_name=example.com 'expected=["192.0.2.1"]' --json

  --json           the outcome as one JSON document
  --timeout-ms     deadline of the whole check
${settingsHelp(SETTINGS)}

Exit code: 0 ok, 2 failing, 3 unknown (our side could not measure), 64 wrong usage.
"watchpost types" lists the types, "watchpost types http" the fields of one.`,
  options: {
    json: { type: 'boolean' },
    'timeout-ms': { type: 'string' },
    ...settingFlags(SETTINGS),
  },
  run,
}

const EXIT_OF = { ok: EXIT.ok, fail: EXIT.failing, unknown: EXIT.unknown } as const

async function run({ flags, words, env }: Call): Promise<number> {
  const { targets, log_level } = readSettings(SETTINGS, { flags, env })
  const timeout_ms = timeoutOf(flags)
  const [type, ...rest] = words
  const checker = await checkerOf(type)
  const input = readWords(checker.fields, rest)
  const target = checker.target(parseSettings(checker, input) as never)
  const outcome: Outcome = await runCheck(checker, input as never, {
    targets,
    logger: lineLogger(log_level),
    ...(timeout_ms === undefined ? {} : { timeout_ms }),
  })
  if (flags['json'] === true) sayJson(outcome)
  else for (const line of report(outcome, `${checker.type} ${target}`)) say(line)
  return EXIT_OF[outcome.verdict]
}

async function checkerOf(type: string | undefined): Promise<AnyChecker> {
  const checker = type === undefined ? undefined : await loadChecker(type)
  if (checker === undefined) {
    const problem = type === undefined ? 'a type is expected' : `there is no type "${type}"`
    throw new ConfigurationError(`${problem}; there are ${CHECKER_TYPES.join(', ')}`)
  }
  if (checker.passive === undefined) return checker
  throw new ConfigurationError(
    `${checker.type} waits for calls of your job, so there is nothing to check from here: create a ` +
      'monitor of this type, and let the job call its ping_url',
  )
}

function timeoutOf(flags: Flags): number | undefined {
  const text = textFlag(flags, 'timeout-ms')
  if (text === undefined) return undefined
  const timeout_ms = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (timeout_ms >= 1 && timeout_ms <= MAX_TIMEOUT_MS) return timeout_ms
  throw new ConfigurationError(
    `--timeout-ms: "${text}" is no deadline; 1 to ${MAX_TIMEOUT_MS} milliseconds are expected`,
  )
}
