import { describe, expect, it } from 'vitest'
import { defineField } from '../../src/fields/field.ts'
import { decodeSettings, parse } from '../../src/fields/parse.ts'
import { addProblem, problemAt, unknownFields } from '../../src/fields/problems.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { problemsOf } from './table.ts'

const description = 'd'
const fields = {
  host: field.host({ description }).required(),
  port: field.port({ description }).default(25),
  note: field.text({ description }),
  auth: field.group(
    {
      user: field.text({ description }).required(),
      pass: field.secret({ description }),
    },
    { description },
  ),
}

const stored = (input: unknown) => {
  const parsed = parse(fields, input)
  return parsed.ok ? parsed.value : { ...parsed.fields }
}

describe('settings', () => {
  it('are stored with the defaults, without what is not given', () => {
    expect(stored({ host: 'a' })).toEqual({ host: 'a', port: 25 })
    expect(stored({ host: 'a', port: null, note: null, auth: null })).toEqual({
      host: 'a',
      port: 25,
    })
  })

  it('have groups, nested, dotted or both', () => {
    const whole = { host: 'a', port: 25, auth: { user: 'u', pass: 'p' } }
    expect(stored({ host: 'a', auth: { user: 'u', pass: 'p' } })).toEqual(whole)
    expect(stored({ host: 'a', 'auth.user': 'u', 'auth.pass': 'p' })).toEqual(whole)
    expect(stored({ host: 'a', auth: { user: 'u' }, 'auth.pass': 'p' })).toEqual(whole)
    expect(stored({ 'auth.pass': 'p', host: 'a', auth: { user: 'u' } })).toEqual(whole)
  })

  it.each([
    [null, { '': 'invalid: an object is expected' }],
    [[], { '': 'invalid: an object is expected' }],
    ['x', { '': 'invalid: an object is expected' }],
    [{}, { host: 'required' }],
    [
      { port: 0, note: '' },
      {
        host: 'required',
        port: 'out_of_range: 1..65535',
        note: 'out_of_range: 1..4096 characters',
      },
    ],
    [{ host: 'a', auth: {} }, { 'auth.user': 'required' }],
    [{ host: 'a', auth: 'x' }, { auth: 'invalid: an object is expected' }],
    [
      { host: 'a', auth: { user: 'u', usr: 'v' } },
      { 'auth.usr': 'unknown_field: did you mean "auth.user"?' },
    ],
    [
      { host: 'a', 'auth.user': 'u', auth: { user: 'v' } },
      // Whichever comes second is taken.
      {},
    ],
    [{ host: 'a', auth: { user: 'v' }, 'auth.user': 'u' }, { 'auth.user': 'invalid: given twice' }],
    [{ host: 'a', hots: 'b' }, { hots: 'unknown_field: did you mean "host"?' }],
    [{ host: 'a', zzzzzz: 1 }, { zzzzzz: 'unknown_field' }],
    [{ host: 'a', 'host.x': 1 }, { 'host.x': expect.stringMatching(/^unknown_field/) as string }],
    [{ host: 'a', '.x': 1 }, { '.x': 'unknown_field' }],
    [{ host: 'a', toString: 1 }, { toString: 'unknown_field' }],
  ])('%j: %j', (input, problems) => {
    expect(problemsOf(fields, input)).toEqual(problems)
  })

  it.each(['__proto__', 'constructor', 'prototype'])('have no field %s', (name) => {
    const input = JSON.parse(`{ "host": "a", "${name}": {} }`) as unknown
    expect(Object.keys(problemsOf(fields, input))).toEqual([name])
    const own = { [name]: field.text({ description }) }
    expect(Object.values(problemsOf(own, JSON.parse(`{ "${name}": "x" }`)))).toEqual([
      expect.stringMatching(/^unknown_field/),
    ])
  })

  it('are decoded for the check, and what no field knows is left out', () => {
    const table = { pattern: field.regex({ description }), auth: fields.auth }
    const settings = decodeSettings(table, {
      pattern: 'a+',
      auth: { user: 'u', old: 1 },
      old: 2,
    } as never) as unknown
    expect(settings).toEqual({
      pattern: expect.objectContaining({ source: 'a+' }) as unknown,
      auth: { user: 'u' },
    })
    expect(decodeSettings(table, { pattern: undefined } as never)).toEqual({})
  })

  it('may be judged by any Standard Schema that answers at once', () => {
    const schema = (validate: (value: unknown) => never) =>
      ({ '~standard': { version: 1, vendor: 'test', validate } }) as const
    const own = (issue: object) => ({
      own: defineField(
        { kind: 'string', description },
        schema((() => ({ issues: [issue] })) as never),
      ),
    })
    const problem = (issue: object) => problemsOf(own(issue), { own: 'x' }).own
    expect(problem({ message: 'too short' })).toBe('invalid: too short')
    expect(problem({ message: 'invalidated' })).toBe('invalid: invalidated')
    expect(problem({ message: 'no invalid: x' })).toBe('invalid: no invalid: x')
    for (const code of ['required', 'out_of_range: 1..2', 'unknown_field', 'immutable'])
      expect(problem({ message: code })).toBe(code)
    expect(problem({ message: 'bad', path: ['a', { key: 1 }] })).toBe('invalid: "a", entry 2: bad')
    const listed = field.list(own({ message: 'bad', path: ['a', { key: 1 }] }).own, {
      description,
      max: 3,
    })
    expect(problemsOf({ listed }, { listed: ['x'] }).listed).toBe(
      'invalid: entry 1, "a", entry 2: bad',
    )
    const late = {
      own: defineField(
        { kind: 'string', description },
        schema((() => Promise.resolve({})) as never),
      ),
    }
    expect(() => parse(late, { own: 'x' })).toThrow(
      new TypeError('The schema of the field "own" is asynchronous'),
    )
    const several = field.list(late.own, { description, max: 3 })
    expect(problemsOf({ several }, { several: ['x', 'y'] }).several).toBe(
      'invalid: entry 1; entry 2',
    )
  })
})

describe('problems', () => {
  it('name the place within a value behind the code', () => {
    expect(problemAt([], 'invalid: x')).toBe('invalid: x')
    expect(problemAt([0, 'zone'], 'invalid: x')).toBe('invalid: entry 1, "zone": x')
    expect(problemAt([2], 'required')).toBe('required: entry 3')
    expect(problemAt([0, 1, 2, 3, 4, 5], 'required')).not.toContain('…')
    expect(problemAt([0, 1, 2, 3, 4, 5, 6], 'required')).toMatch(/entry 6, "?…"?$/)
  })

  it('of one field are one text that names a code once and ends at some length', () => {
    const problems: Record<string, string> = {}
    addProblem(problems, 'a', 'invalid: x')
    addProblem(problems, 'a', 'invalid: y')
    addProblem(problems, 'a', 'required')
    addProblem(problems, 'a', 'out_of_range: 1..2')
    addProblem(problems, 'a', 'invalid: z')
    expect(problems).toEqual({ a: 'invalid: x; y; required; out_of_range: 1..2; invalid: z' })
    addProblem(problems, 'toString', 'required')
    const bare = { a: 'invalid: x' }
    addProblem(bare, 'a', 'invalid')
    expect(bare.a).toBe('invalid: x; invalid')
    expect(problems.toString).toBe('required')
    const long: Record<string, string> = { a: 'x'.repeat(399) }
    for (const word of ['one', 'two', 'three']) addProblem(long, 'a', word)
    expect(long.a).toBe(`${'x'.repeat(399)}; one; …`)
    const full: Record<string, string> = { a: 'x'.repeat(400) }
    addProblem(full, 'a', 'one')
    expect(full.a).toBe(`${'x'.repeat(400)}; …`)
  })

  it('suggest a name for the first twenty unknown ones', () => {
    const problem = unknownFields(['interval'])
    const said = Array.from({ length: 21 }, () => problem('intervall'))
    expect(said[19]).toBe('unknown_field: did you mean "interval"?')
    expect(said[20]).toBe('unknown_field')
  })
})
