import { describe, expect, it } from 'vitest'
import { escapeBytes, escapedText, isPlain, unescapeBytes } from '../../src/fields/escapes.ts'

const bytesOf = (text: string): number[] | string => {
  const read = unescapeBytes(text)
  return read.ok ? [...read.bytes] : read.problem
}

describe('unescapeBytes', () => {
  it.each<[string, number[]]>([
    ['a\\r\\n', [97, 13, 10]],
    ['\\t\\0\\\\', [9, 0, 92]],
    ['\\x00\\xfF', [0, 255]],
    ['\\\\n', [92, 110]],
    ['é', [0xc3, 0xa9]],
    ['🚨', [0xf0, 0x9f, 0x9a, 0xa8]],
    ['real\r\nbreak', [...new TextEncoder().encode('real\r\nbreak')]],
    ['', []],
  ])('reads %j', (text, bytes) => {
    expect(bytesOf(text)).toEqual(bytes)
  })

  it.each(['\\q', '\\x1', '\\xg0', '\\X41', '\\N', 'end\\', '\\u0041', '\\\n', '\\constructor'])(
    'refuses %j and says what there is',
    (text) => {
      expect(bytesOf(text)).toContain('\\xHH are')
    },
  )
})

describe('isPlain', () => {
  it('says whether a text stays as it is', () => {
    for (const text of ['', 'a', 'plain text ~']) {
      expect(isPlain(text)).toBe(true)
      expect(escapeBytes(text, 100)).toBe(text)
    }
    for (const text of ['\\', 'a\n', '\u007f', 'é']) expect(isPlain(text)).toBe(false)
  })
})

describe('escapeBytes', () => {
  it('gives one printable line that reads back to the same bytes', () => {
    const all = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte))
    const line = escapeBytes(all, 2000)
    expect(line).toMatch(/^[ -~]+$/)
    expect(bytesOf(line)).toEqual(Array.from({ length: 256 }, (_, byte) => byte))
  })

  it('is cut between two bytes, never within an escape', () => {
    expect(escapeBytes('ab\xff\xff', 7)).toBe('ab\\xff…')
    expect(escapeBytes('abc', 3)).toBe('abc')
  })
})

describe('escapedText', () => {
  const { schema, decode: decodeSettings } = escapedText({ description: 'Bytes', maxBytes: 4 })
  const validate = (value: unknown) => schema['~standard'].validate(value)

  it('keeps what was written and hands over the bytes', () => {
    expect(validate('\\xff\\n')).toMatchObject({ value: '\\xff\\n' })
    expect([...decodeSettings('\\xff\\n')]).toEqual([255, 10])
  })

  it.each([
    ['\\x01\\x02\\x03\\x04\\x05', 'out_of_range: 1..4 bytes'],
    ['éé!', 'out_of_range: 1..4 bytes'],
    ['', 'out_of_range: 1..4 bytes'],
    [7, 'invalid: a string is expected'],
  ])('refuses %j', (value, message) => {
    expect(validate(value)).toMatchObject({ issues: [{ message }] })
  })

  it('counts bytes, not characters of the text', () => {
    expect(validate('\\x01\\x02\\x03\\x04')).not.toHaveProperty('issues', expect.anything())
  })

  it('takes one byte, and says why it refuses', () => {
    expect(validate('a')).toMatchObject({ value: 'a' })
    expect(validate('\\q')).toMatchObject({
      issues: [{ message: expect.stringMatching(/^invalid: \\q is no escape/) as string }],
    })
    expect(() => decodeSettings('\\q')).toThrow(TypeError)
    const { info } = escapedText({ description: 'Bytes', maxBytes: 4 })
    expect(info).toEqual({
      ...{ kind: 'string', format: 'escaped', min: 1, max: 16 },
      description: 'Bytes',
    })
  })
})

it('writes the short escapes where there are some', () => {
  expect(escapeBytes('\r\n\t\0\\', 99)).toBe('\\r\\n\\t\\0\\\\')
})
