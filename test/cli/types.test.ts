import { describe, expect, it } from 'vitest'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { commandLine } from '../support/command-line.ts'

const watchpost = commandLine()

const types: readonly string[] = builtinCheckers({ extra: true }).map(({ type }) => type)

describe('watchpost types', () => {
  it('is a table of all types, with what they require', async () => {
    const { code, stdout } = await watchpost.run(['types'])
    expect(code).toBe(0)
    const [head, ...rows] = stdout.trimEnd().split('\n')
    expect(head).toMatch(/^TYPE +WHAT IT CHECKS +REQUIRED$/)
    expect(rows.map((row) => row.split(' ')[0])).toEqual(types)
    expect(rows).toContainEqual(expect.stringMatching(/^tcp +TCP port +host, port$/))
    expect(rows).toContainEqual(expect.stringMatching(/^redis \+ +Redis server +host$/))
    expect(widest(stdout)).toBeLessThanOrEqual(80)
  })

  it('has the fields of those that are named, the required ones marked, in 80 columns', async () => {
    const { code, stdout } = await watchpost.run(['types', ...types])
    expect(code).toBe(0)
    const titles = [...stdout.matchAll(/^([a-z\d]+): /gm)].map(([, type]) => type)
    expect(titles).toEqual(types)
    expect(stdout).toMatch(/^ {2}url\* +string/m)
    expect(widest(stdout)).toBeLessThanOrEqual(80)
  })

  it('gives the rows of GET /types as JSON', async () => {
    const { code, stdout } = await watchpost.run(['types', '--json'])
    expect(code).toBe(0)
    const views = JSON.parse(stdout) as { type: string; fields: { name: string }[] }[]
    expect(views.map(({ type }) => type)).toEqual(types)
    const http = views.find(({ type }) => type === 'http')
    expect(http?.fields.map(({ name }) => name)).toContain('auth.user')
  })

  it('shows one type alone', async () => {
    const { stdout } = await watchpost.run(['types', 'heartbeat'])
    expect(stdout).toMatch(/^heartbeat: /)
    expect(stdout).not.toContain('url*')
  })

  it('lists the types for one that is none', async () => {
    const { code, stderr } = await watchpost.run(['types', 'htp'])
    expect(code).toBe(64)
    expect(stderr).toBe(`watchpost: there is no type "htp"; there are ${types.join(', ')}\n`)
  })
})

function widest(text: string): number {
  return Math.max(...text.split('\n').map(({ length }) => length))
}
