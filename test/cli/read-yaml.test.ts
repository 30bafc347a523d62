/** YAML files of other tools: what their aliases repeat is measured before they are followed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readYaml } from '../../src/cli/read-file.ts'
import { measureCpu } from '../support/turns.ts'

function read(text: string, name = 'gatus.yaml'): Promise<unknown> {
  const directory = mkdtempSync(join(tmpdir(), 'watchpost-yaml-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, name)
  writeFileSync(path, text)
  return readYaml(path)
}

const times = (count: number, text: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => text(n)).join('')

const REPEATS = 'its aliases repeat more than 1048576 characters'
const MARKS = 'it has more than 2000 anchors and aliases'
const INSIDE = 'an alias stands inside of itself'

describe('the aliases of a YAML file', () => {
  it('stand for what their anchor has, also more than a hundred times', async () => {
    const endpoint = (n: number) => `  - {name: n${n}, alerts: *alerts}\n`
    const text = `alerts: &alerts [{type: slack}]\nendpoints:\n${times(500, endpoint)}`
    const { endpoints } = (await read(text)) as { endpoints: unknown[] }
    expect(endpoints).toHaveLength(500)
    expect(endpoints[499]).toEqual({ name: 'n499', alerts: [{ type: 'slack' }] })
  })

  it('stand for the last anchor of their name, also as keys and merged', async () => {
    const text = `%YAML 1.1\n---\na: &x one\nb: *x\nc: &x {d: two}\ne: {<<: *x, &y f: g}\n*y : h\n`
    expect(await read(text)).toEqual({
      ...{ a: 'one', b: 'one', c: { d: 'two' } },
      ...{ e: { d: 'two', f: 'g' }, f: 'h' },
    })
  })

  it('repeat as much as may be', async () => {
    const text = `a: &a ${'x'.repeat(1024)}\nb: [${'*a, '.repeat(1023)}]\n`
    expect(await read(text)).toMatchObject({ b: { length: 1023 } })
  })

  it.each([
    [
      'a list of 50 KB, 90 times',
      `a: &a\n${times(5000, (n) => ` - v${n}\n`)}b: [${'*a, '.repeat(90)}]`,
      REPEATS,
    ],
    ['one text too much', `a: &a ${'x'.repeat(1024)}\nb: [${'*a, '.repeat(1024)}]\n`, REPEATS],
    [
      'each twice the one before',
      `a0: &a0 x\n${times(60, (n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]\n`)}`,
      REPEATS,
    ],
    [
      'maps merged into maps',
      `%YAML 1.1\n---\na: &a {${times(2000, (n) => `k${n}: v, `)}}\nb: [${'{<<: *a}, '.repeat(90)}]`,
      REPEATS,
    ],
    ['anchors without end', `a:\n${times(2001, (n) => ` - &a${n} x\n`)}`, MARKS],
    ['aliases without end', `a: &a x\nb: [${'*a, '.repeat(2000)}]`, MARKS],
    ['a list in itself', 'a: &a [x, *a]', INSIDE],
    ['a map in itself, as a key', 'a: &a {? *a : x}', INSIDE],
    ['two in each other', 'a: &a\n  b: &b [*a]\n', INSIDE],
    ['a merged map in itself', '%YAML 1.1\n---\na: &a {b: {<<: *a}}', INSIDE],
    ['one without an anchor', 'a: *hidden', '[A-Z_]+|unreadable'],
    ['a key twice', 'a: {b: hidden, c: 1, b: 2}', 'a map has the same key twice'],
    ['a key twice at the top', 'a: 1\n"a": 2\n', 'a map has the same key twice'],
  ])('are refused for %s', async (_, text, problem) => {
    await expect(read(text)).rejects.toThrow(
      new RegExp(`gatus\\.yaml: is not valid YAML \\(${problem}\\)$`),
    )
  })
})

it('a map of a YAML file costs about what a list of as many costs', async () => {
  const list = `a:\n${times(20_000, (n) => ` - k${n}\n`)}`
  const map = `a:\n${times(20_000, (n) => ` k${n}: v\n`)}`
  const { cpu_ms } = await measureCpu(() => read(list))
  expect((await measureCpu(() => read(map))).cpu_ms).toBeLessThan(5 * cpu_ms)
})

const MIB = 1024 * 1024

describe('the size of a YAML file', () => {
  it('suffices for ten thousand monitors of Gatus with alerts and conditions', () => {
    const endpoint = (n: number) => `
  - name: service-${n}
    group: production
    url: "https://service-${n}.internal.example.org/health/ready?full=true"
    interval: 60s
    client: { timeout: 10s, insecure: false }
    headers: { Accept: application/json, X-Caller: status-page }
    conditions:
      - "[STATUS] == 200"
      - "[RESPONSE_TIME] < 300"
      - "[CERTIFICATE_EXPIRATION] > 240h"
    alerts:
      - type: slack
        failure-threshold: 3`
    expect(Buffer.byteLength(`endpoints:${times(10_000, endpoint)}`)).toBeLessThan(6 * MIB)
  })

  it('is at most 6 MiB: its parser takes a second a MiB in one turn; JSON of that size is read', async () => {
    const text = `{ "a": "${'x'.repeat(6 * MIB)}" }`
    const { cpu_ms } = await measureCpu(() =>
      expect(read(text)).rejects.toThrow(
        'gatus.yaml: cannot be read: more than 6 MiB; divide the file, or write it as JSON (.json), of which 16 MiB are read',
      ),
    )
    expect(cpu_ms).toBeLessThan(500)
    expect(await read(text, 'gatus.json')).toHaveProperty('a')
  })
})
