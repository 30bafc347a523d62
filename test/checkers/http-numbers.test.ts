import { describe, expect, it } from 'vitest'
import { readNumber } from '../../src/checkers/http/numbers.ts'
import { processorMs } from '../support/turns.ts'

describe('a number on a page', () => {
  it.each([
    ['42', 42],
    ['Total: 17 items', 17],
    ['-3.5', -3.5],
    ['−3,5 °C', -3.5],
    ['12,5 %', 12.5],
    ['1,234.56', 1234.56],
    ['1.234,56', 1234.56],
    ['1 234,56', 1234.56],
    ['1\u00a0234\u202f567', 1234567],
    ['1’234.56', 1234.56],
    ['1,234', 1234],
    ['0,123', 0.123],
    ['1.234', 1.234],
    ['1.234.567', 1234567],
    ['1,234,567', 1234567],
    ['12,34,567.8', 1234567.8],
    ['1234567', 1234567],
    ['.5', 0.5],
    ['1e3', 1000],
    ['€ 9,99', 9.99],
    ['5 10', 5],
    ['+7', 7],
    ['0', 0],
  ])('%j is %d', (text, number) => {
    expect(readNumber(text)).toBe(number)
  })

  it.each(['', 'none', '-', '.,'])('%j holds none', (text) => {
    expect(readNumber(text)).toBeUndefined()
  })

  it('takes time in proportion to the text, whatever the text is', () => {
    const hostile = '1,11'.repeat(100_000)
    const from = processorMs()
    readNumber(hostile)
    expect(processorMs() - from).toBeLessThan(200)
  })
})
