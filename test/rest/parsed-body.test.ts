/** What a middleware has parsed, as the text that was sent. */
import { describe, expect, it } from 'vitest'
import { textOfParsed } from '../../src/rest/parsed-body.ts'
import type { ParsedRequest } from '../../src/rest/parsed-body.ts'

const FORM = 'application/x-www-form-urlencoded'
const textOf = (body: unknown, type?: string, rawBody?: unknown) =>
  textOfParsed({ body, rawBody, headers: { 'content-type': type } } as unknown as ParsedRequest)

describe('a parsed body', () => {
  it('is the bytes or the text that came, where the parser kept them', () => {
    const bytes = new Uint8Array([1, 2])
    expect(textOf({ a: 1 }, undefined, bytes)).toBe(bytes)
    expect(textOf({ a: 1 }, FORM, 'a=1')).toBe('a=1')
    expect(textOf('a=%31', FORM)).toBe('a=%31')
    expect(textOf(bytes)).toBe(bytes)
    expect(textOf({ a: 1 }, undefined, { a: 1 })).toBe('{"a":1}')
  })

  it('is none where there was none', () => {
    expect(textOf(undefined)).toBeUndefined()
    expect(textOf(null, FORM)).toBeUndefined()
    expect(textOf(undefined, FORM)).toBeUndefined()
  })

  it.each([undefined, 'application/json', 'text/x-multipart/form-data', `a ${FORM}`, `${FORM}2`])(
    'of type %s is JSON',
    (type) => {
      expect(textOf({ a: [1, null] }, type)).toBe('{"a":[1,null]}')
    },
  )

  it.each([FORM, ` ${FORM}; charset=utf-8`, FORM.toUpperCase(), 'multipart/form-data; boundary=x'])(
    'of type %s is a form',
    (type) => {
      expect(textOf({ a: '1' }, type)).toBe('a=1')
    },
  )
})

describe('a form', () => {
  it.each<[string, unknown, string]>([
    ['of a text alone', { 'disk 93% full': '' }, 'disk 93% full'],
    ['with what is no escape', { 'disk 9%3 full': '' }, 'disk 9%3 full'],
    ['with what looks like an escape', { a: '50%20 off' }, 'a=50%2520 off'],
    ['with capital letters in it', { a: '%C3' }, 'a=%25C3'],
    ['with signs of its own in a value', { a: 'b&c+d=e' }, 'a=b%26c%2Bd=e'],
    ['with signs of its own in a name', { 'a&b=c+d': 'e' }, 'a%26b%3Dc%2Bd=e'],
    ['with signs of its own in a name without a value', { 'a=b': '' }, 'a%3Db'],
    ['of a list', { a: ['1', '2'], b: '3' }, 'a=1&a=2&b=3'],
    ['of members', { a: { b: '1', c: { d: '2' } }, e: '3' }, 'a[b]=1&a[c][d]=2&e=3'],
    ['of members in a list', { a: [{ b: '1' }, { b: '2' }] }, 'a[b]=1&a[b]=2'],
    ['of what was converted', { a: 1, b: true }, 'a=1&b=true'],
    ['of what is not there', { a: null, b: undefined, c: '1' }, 'c=1'],
    ['of nothing', {}, ''],
  ])('%s', (_, body, text) => {
    expect(textOf(body, FORM)).toBe(text)
  })
})
