import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/steps.mjs'
import { commandLine } from '../support/command-line.ts'

const watchpost = commandLine()

const page = (path: string): string => readFileSync(join(root, 'docs', path), 'utf8')

describe('watchpost docs', () => {
  it('lists the pages with their titles', async () => {
    const { code, stdout } = await watchpost.run(['docs'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^checkers\/http +\S/m)
    expect(stdout).toMatch(/^guide\/production +Running in production$/m)
    expect(stdout).toMatch(/^performance +\S/m)
  })

  it.each([
    ['overview', 'overview.md'],
    ['http', 'checkers/http.md'],
    ['guide/production', 'guide/production.md'],
    ['reference/rest.md', 'reference/rest.md'],
  ])('prints the page of %s', async (topic, path) => {
    const { code, stdout } = await watchpost.run(['docs', topic])
    expect(code).toBe(0)
    expect(stdout).toBe(page(path))
  })

  it.each(['htp', '../package', '/etc/passwd'])('knows no page %s', async (topic) => {
    const { code, stdout, stderr } = await watchpost.run(['docs', topic])
    expect(code).toBe(64)
    expect(stdout).toBe('')
    expect(stderr).toBe(`watchpost: there is no page "${topic}"; "watchpost docs" lists them\n`)
  })
})
