/**
 * One row of the table: `watchpost check <type>` against a real server in a known state, and what it
 * has to say about it.
 *
 * @module
 */

import { expect } from 'vitest'
import { SHARED_CAUSES } from '../../../src/checkers/causes.ts'
import { builtinCheckers } from '../../../src/checkers/index.ts'
import type { AnyChecker, CauseTable } from '../../../src/checkers/checker.ts'
import type { JsonObject, Outcome, Phase } from '../../../src/model.ts'
import { certificates } from '../../support/certificates.ts'
import type { CommandLine } from '../../support/command-line.ts'
import { withDeadline } from '../../support/deadlines.ts'

/** The password of every account of the private servers, and one that is wrong everywhere. */
export const RIGHT = 'secret'
export const WRONG = 'not-the-password'

/** `null`: no single step can be named. */
export type Found = readonly [cause_code: string, phase: Phase | null]

/** Names of the phases that a healthy check goes through, in their order, and some of its details. */
export interface Health {
  readonly phases: readonly Phase[]
  readonly details: JsonObject
}

export interface CheckCall {
  readonly type: string
  /** As words of the command line have them: dotted keys nest, `undefined` leaves one out. */
  readonly settings: JsonObject
  readonly flags?: readonly string[]
  /** Environment beside the trust in the test certificates. */
  readonly env?: Readonly<Record<string, string>>
  readonly under?: string
  readonly own?: boolean
}

/** What the command line said, once everything was held against the rules that all outcomes keep. */
export async function checkOnce(watchpost: CommandLine, call: CheckCall): Promise<Outcome> {
  const { type, settings, flags = [], env, under, own = false } = call
  const words = Object.entries(settings).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [`${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`],
  )
  const ended = await watchpost.run(['check', type, ...words, '--json', ...flags], {
    env: { NODE_EXTRA_CA_CERTS: certificates().caPath, ...env },
    own,
    ...(under === undefined ? {} : { under }),
  })
  expect(ended).toMatchObject({ signal: null, stderr: '' })
  const outcome = JSON.parse(ended.stdout) as Outcome
  expect(ended.code, outcome.verdict).toBe({ ok: 0, fail: 2, unknown: 3 }[outcome.verdict])
  expectSound(type, outcome)
  return outcome
}

/** The same within a deadline that is longer where the machine was too busy for what `judge` expects of the outcome. */
export async function checkWithin(
  timeout_ms: number,
  watchpost: CommandLine,
  call: CheckCall,
  judge: (outcome: Outcome) => void,
): Promise<void> {
  const attempt = async (ms: number): Promise<void> => {
    const flags = [...(call.flags ?? []), `--timeout-ms=${ms}`]
    judge(await checkOnce(watchpost, { ...call, flags }))
  }
  await withDeadline(timeout_ms, attempt)
}

/** Whatever was found, it is said in the words that the type has declared, and without a password. */
export function expectSound(type: string, outcome: Outcome): void {
  const { causes, measurements } = checkerOf(type)
  const { cause_code, cause_text, phases, duration_ms, details, verdict } = outcome
  expect(JSON.stringify(outcome)).not.toContain(WRONG)
  expect(Object.keys(measurements)).toEqual(expect.arrayContaining(Object.keys(details)))
  const spent = Object.values(phases)
  expect(spent.every((ms) => ms >= 0)).toBe(true)
  expect(spent.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(duration_ms + 1)
  if (cause_code === null) {
    expect(outcome).toMatchObject({ verdict: 'ok', cause_text: null, phase: null })
    return
  }
  const declared: CauseTable = { ...SHARED_CAUSES, ...causes }
  expect(declared[cause_code]?.verdict ?? 'fail').toBe(verdict)
  expect(cause_text).toMatch(/^\S.*\S$/)
}

function checkerOf(type: string): AnyChecker {
  const checker = (builtinCheckers() as readonly AnyChecker[]).find((each) => each.type === type)
  if (checker === undefined) throw new Error(`There is no type ${type}`)
  return checker
}

export function expectHealthy(outcome: Outcome, { phases, details }: Health): void {
  expect(outcome).toMatchObject({ verdict: 'ok', cause_code: null })
  expect(Object.keys(outcome.phases)).toEqual(phases.map((name) => `${name}_ms`))
  expect(outcome.details).toMatchObject(details)
}

export function expectFound(outcome: Outcome, [cause_code, phase]: Found): void {
  expect(outcome, outcome.cause_text ?? '').toMatchObject({ cause_code, phase })
}
