import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { lineOf, readReport, summary } from './rig/suite-report.ts'

function reported(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-suite-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, '1.json')
  writeFileSync(path, text)
  return { ...readReport(path), seconds: 1, load: 2.25 }
}

const file = (name: string, status: string, tests: Readonly<Record<string, string>>) => ({
  name: join(process.cwd(), name),
  status,
  assertionResults: Object.entries(tests).map(([fullName, of]) => ({ fullName, status: of })),
})

it('names failed tests, files that failed as a whole, and runs without a report', () => {
  const testResults = [
    file('test/a.test.ts', 'failed', { 'is well': 'passed', 'is fast': 'failed' }),
    file('test/b.test.ts', 'failed', {}),
    file('test/c.test.ts', 'passed', { 'needs a server': 'skipped', later: 'todo' }),
  ]
  const bad = { ...reported(JSON.stringify({ testResults })), status: 1 }
  expect(bad).toMatchObject({
    passed: 1,
    skipped: 2,
    failed: ['test/a.test.ts: is fast', 'test/b.test.ts'],
  })
  const none = { ...reported('{'), status: 137 }
  expect(none.failed).toEqual(['vitest ended without a report'])
  const good = { passed: 3, skipped: 0, failed: [], seconds: 1, load: 2.25, status: 0 }
  expect(lineOf(good)).toBe('3 passed, 0 failed, 0 skipped in 1 s at a load of 2.3, exit code 0')
  expect(summary([bad, good, none, bad, { ...good, status: 1 }], 8).split('\n')).toEqual([
    '1 of 5 runs without a failure, load 8',
    '2 x test/a.test.ts: is fast',
    '2 x test/b.test.ts',
    '1 x vitest ended without a report',
  ])
})
