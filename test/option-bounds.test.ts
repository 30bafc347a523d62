/**
 * Each bound of each option at its edge on both sides: the names of the options and their bounds are those of the
 * messages that refuse something else, so that an option which is added is tried as well.
 */

import { describe, expect, it } from 'vitest'
import { quotaProblems } from '../src/engine/services/quotas.ts'
import { TAKERS } from './support/option-takers.ts'

/** A name and a value that no option has. */
const STRANGE = 'no such thing, nor anything like it'

const BOUNDS = /^a (whole )?number from (-?[\d.e+]+) to (-?[\d.e+]+) is expected$/

type Path = readonly string[]

interface Bounded {
  readonly path: Path
  readonly isWhole: boolean
  readonly min: number
  readonly max: number
}

/** What the function says of one option, without its name; `undefined` where it does not name it. */
async function said(taker: string, path: Path, value: unknown): Promise<string | undefined> {
  const [make, needed] = TAKERS[taker]!
  const given = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
  try {
    await make({ ...needed, ...(given as object) } as never)
    return undefined
  } catch (error) {
    const problems = (error as Error).message.replace(/^[\w.]+: /, '').split('; ')
    const name = `${path.join('.')}: `
    return problems.find((problem) => problem.startsWith(name))?.slice(name.length)
  }
}

/** The options that the function or group has. */
async function namesOf(taker: string, path: Path): Promise<readonly string[]> {
  const [make, needed] = TAKERS[taker]!
  const given = [...path, STRANGE].reduceRight<unknown>((inner, name) => ({ [name]: inner }), 1)
  try {
    await make({ ...needed, ...(given as object) } as never)
  } catch (error) {
    const [, names = ''] = /; known are ([^;]*)/.exec((error as Error).message) ?? []
    return names.split(', ').filter((name) => name !== '')
  }
  return []
}

async function boundedOptions(taker: string, path: Path = []): Promise<Bounded[]> {
  const found: Bounded[] = []
  for (const name of await namesOf(taker, path)) {
    const here = [...path, name]
    const problem = await said(taker, here, STRANGE)
    const [, whole, min, max] = BOUNDS.exec(problem ?? '') ?? []
    if (min !== undefined)
      found.push({ path: here, isWhole: whole !== undefined, min: Number(min), max: Number(max) })
    else if (here.length < 4) found.push(...(await boundedOptions(taker, here)))
  }
  return found
}

const rows = await Promise.all(
  Object.keys(TAKERS).map(async (taker) => [taker, await boundedOptions(taker)] as const),
)

it('is found in the messages', () => {
  const found = rows.flatMap(([taker, bounded]) =>
    bounded.map(({ path }) => `${taker} ${path.join('.')}`),
  )
  expect(found).toEqual(
    expect.arrayContaining(['createRest rateLimit.requests', 'webhookContact deadlineMs']),
  )
})

/** What is an option under the name that it has on the wire. */
const FIELDS = ['runCheck timeout_ms']

it('has its unit in camelCase, unless it is a field of the API', () => {
  const snake = rows.flatMap(([taker, bounded]) =>
    bounded
      .filter(({ path }) => path.at(-1)?.includes('_'))
      .map(({ path }) => [taker, ...path].join(' ')),
  )
  expect(snake).toEqual(FIELDS)
})

describe.each(rows.filter(([, bounded]) => bounded.length > 0))('%s', (taker, bounded) => {
  it.each(bounded.map((one) => [one.path.join('.'), one] as const))(
    '%s',
    async (_, { path, isWhole, min, max }) => {
      const step = (bound: number) =>
        isWhole ? 1 : Math.max(Math.abs(bound) * 2 ** -52, 2 ** -1074)
      const outside = [min - step(min), max + step(max)]
      for (const value of [min, max]) expect(await said(taker, path, value)).toBeUndefined()
      for (const value of outside) expect(await said(taker, path, value)).toMatch(BOUNDS)
      if (isWhole && max - min > 1) expect(await said(taker, path, min + 0.5)).toMatch(BOUNDS)
    },
  )
})

it.each(['monitors', 'contacts', 'min_interval_sec', 'checks_per_min'])(
  'the quota %s of an account',
  (name) => {
    const problem = (value: number) => quotaProblems({ [name]: value })[`quotas.${name}`]
    const [, min = '', max = ''] = /^out_of_range: (\d+)\.\.(\d+),/.exec(problem(-1) ?? '') ?? []
    for (const value of [min, max]) expect(problem(Number(value))).toBeUndefined()
    for (const value of [Number(min) - 1, Number(max) + 1])
      expect(problem(value)).toMatch(/^out_of_range/)
  },
)

it('no other quota is known', () => {
  expect(quotaProblems({ rounds: 1 })).toEqual({ 'quotas.rounds': 'unknown_field' })
})
