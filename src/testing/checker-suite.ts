/**
 * The requirements of every checker, as cases for any test runner; the built-in checkers pass the same suite.
 *
 * @module
 */

import assert from 'node:assert/strict'
import { SHARED_CAUSES } from '../checkers/causes.ts'
import type { AnyChecker } from '../checkers/checker.ts'
import { systemClock } from '../clock.ts'
import { executeCheck } from '../engine/checks/execute-check.ts'
import { parseSettings } from '../engine/checks/run-check.ts'
import { describe } from '../fields/describe.ts'
import type { FieldTable, Stored } from '../fields/field.ts'
import { parse } from '../fields/parse.ts'
import { mapSecrets } from '../fields/secrets.ts'
import { silentLogger } from '../logger.ts'
import type { CheckReport, JsonObject } from '../model.ts'
import { createNetwork } from '../net/create-net.ts'

export interface CheckerSuiteOptions {
  /** Valid settings with every required field, and a secret field if there is one. */
  readonly settings: JsonObject
  /**
   * Settings whose target accepts a connection and then stays silent, for the cases about time. Without them those
   * cases are left out.
   */
  readonly silent?: JsonObject | undefined
}

export interface SuiteCase {
  readonly name: string
  run(): Promise<void>
}

/** Far longer than an abort takes; a check that ignores the abort takes its whole timeout. */
const ABORT_GRACE_MS = 2_000
const TIMEOUT_MS = 1_000

/** The cases for one checker, for a runner of your choice. */
export function checkerSuite(
  checker: AnyChecker,
  { settings, silent }: CheckerSuiteOptions,
): SuiteCase[] {
  const fields = checker.fields
  const cases: SuiteCase[] = [
    {
      name: 'its type is a lower-case word and every text is there',
      run: () => attempt(() => texts(checker)),
    },
    {
      name: 'settings that are right are taken, and taken again as they are stored',
      run: () =>
        attempt(() => {
          const stored = parseSettings(checker, settings)
          assert.deepEqual(parseSettings(checker, stored), stored)
        }),
    },
    {
      name: 'an unknown field is refused',
      run: () => attempt(() => refusesUnknown(fields, settings)),
    },
    {
      name: 'a missing required field is named',
      run: () =>
        attempt(() => {
          for (const { name } of describe(fields).filter(({ required }) => required)) {
            const parsed = parse(fields, { ...settings, [name]: undefined })
            assert.equal(parsed.ok ? undefined : parsed.fields[name], 'required', name)
          }
        }),
    },
    {
      name: 'its target shows no secret',
      run: () => attempt(() => hidesSecrets(checker, settings)),
    },
    {
      name: 'a check that is stopped ends at once, with an unknown verdict',
      run: async () => {
        const stop = new AbortController()
        stop.abort(new Error('stopped by the suite'))
        const { outcome } = await checked(checker, settings, { signal: stop.signal })
        assert.equal(outcome.verdict, 'unknown')
      },
    },
  ]
  return silent === undefined ? cases : [...cases, ...timely(checker, silent)]
}

function timely(checker: AnyChecker, silent: JsonObject): SuiteCase[] {
  return [
    {
      name: 'a silent server fails the check at its deadline, with a declared cause and a phase',
      run: async () => {
        const { outcome } = await checked(checker, silent, {})
        assert.notEqual(outcome.verdict, 'ok')
        const declared = { ...SHARED_CAUSES, ...checker.causes }
        assert.ok(
          outcome.cause_code !== null && outcome.cause_code in declared,
          `undeclared cause ${outcome.cause_code}`,
        )
        assert.ok(
          outcome.duration_ms < TIMEOUT_MS + ABORT_GRACE_MS,
          `took ${outcome.duration_ms} ms`,
        )
      },
    },
    {
      name: 'a check that is stopped on its way ends long before its deadline',
      run: async () => {
        const stop = new AbortController()
        const timer = systemClock.timer(100, () => stop.abort(new Error('stopped by the suite')))
        const { outcome } = await checked(checker, silent, {
          signal: stop.signal,
          timeout_ms: 30_000,
        })
        timer.cancel()
        assert.ok(outcome.duration_ms < ABORT_GRACE_MS, `took ${outcome.duration_ms} ms`)
      },
    },
  ]
}

function checked(
  checker: AnyChecker,
  settings: JsonObject,
  {
    signal,
    timeout_ms = TIMEOUT_MS,
  }: { readonly signal?: AbortSignal; readonly timeout_ms?: number },
): Promise<CheckReport> {
  return executeCheck(checker, parseSettings(checker, settings), {
    clock: systemClock,
    network: createNetwork({ clock: systemClock, policy: () => undefined }),
    timeout_ms,
    location: { id: 1, name: 'suite' },
    log: silentLogger,
    ...(signal === undefined ? {} : { signal }),
  })
}

function texts(checker: AnyChecker): void {
  assert.match(checker.type, /^[a-z][a-z0-9_-]*$/)
  assert.ok(checker.title !== '' && checker.description !== '')
  for (const { name, description } of describe(checker.fields)) {
    assert.ok(description !== '', `the field ${name} has no description`)
  }
  for (const [code, { text }] of Object.entries(checker.causes)) {
    assert.match(code, /^[a-z][a-z0-9_]*$/)
    assert.ok(text !== '', `the cause ${code} has no text`)
  }
}

function refusesUnknown(fields: FieldTable, settings: JsonObject): void {
  const parsed = parse(fields, { ...settings, no_such_field: 1 })
  assert.equal(parsed.ok ? undefined : parsed.fields.no_such_field, 'unknown_field')
}

function hidesSecrets(checker: AnyChecker, settings: JsonObject): void {
  const stored = parseSettings(checker, settings)
  const target = checker.target(stored as Stored<FieldTable>)
  mapSecrets(checker.fields, stored, (secret, path) => {
    assert.ok(!target.includes(secret), `the target shows ${path}`)
    return secret
  })
}

/** Runs a synchronous case; a throw becomes a rejection. */
async function attempt(body: () => void): Promise<void> {
  await Promise.resolve()
  body()
}
