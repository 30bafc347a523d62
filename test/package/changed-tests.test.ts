import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { expect, it } from 'vitest'
import { allTests, testsFor } from '../../scripts/changed-tests.mjs'
import { root } from '../../scripts/steps.mjs'

const tests = allTests()

it.each([
  ['src/checkers/tcp.ts', /^test\/checkers\/(tcp|suite)\b/, 'test/checkers/tcp.test.ts'],
  ['src/checkers/http/judge.ts', /^test\/checkers\/(http|suite)\b/, 'test/checkers/http.test.ts'],
  [
    'src/checkers/pop3.ts',
    /^test\/checkers\/(mail\/(?!hostile)|suite)/,
    'test/checkers/mail/dovecot.test.ts',
  ],
  [
    'src/checkers/mail/converse.ts',
    /^test\/checkers\/(mail\/|suite)/,
    'test/checkers/mail/hostile.test.ts',
  ],
  ['src/net/guard/guard.ts', /^test\/net\/guard\b/, 'test/net/guard.test.ts'],
  ['src/incident/state.ts', /^test\/incident\//, undefined],
  ['src/clock.ts', /^test\/clock\.test\.ts$/, 'test/clock.test.ts'],
  ['test/checkers/tcp.samples.ts', /^test\/checkers\/(tcp|suite)\b/, 'test/checkers/suite.test.ts'],
  ['test/page/live.test.ts', /^test\/page\/live\.test\.ts$/, 'test/page/live.test.ts'],
  ['docs/reliability.md', /^test\/package\/docs\.test\.ts$/, 'test/package/docs.test.ts'],
] as const)('a change of %s is tried by the tests of its room alone', (path, pattern, one) => {
  const chosen = testsFor([path], tests) ?? []
  expect(chosen.filter((test) => !pattern.test(test))).toEqual([])
  expect(chosen.length).toBeGreaterThan(0)
  if (one !== undefined) expect(chosen).toContain(one)
})

it('a change of what all tests use is tried by all of them', () => {
  for (const path of [
    'package.json',
    'vitest.config.ts',
    'test/support/check.ts',
    'src/model.ts',
  ]) {
    expect(testsFor(['src/checkers/tcp.ts', path], tests), path).toBeUndefined()
  }
})

it('no source is without tests, and each that is named exists', () => {
  const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
  for (const path of sources) {
    const chosen = testsFor([path], tests)
    expect(chosen?.length, path).not.toBe(0)
    for (const test of chosen ?? []) expect(tests, path).toContain(test)
  }
})
