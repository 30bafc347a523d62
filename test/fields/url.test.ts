import { expect, it } from 'vitest'
import { canParseUrl } from '../../src/model/url.ts'
import { parseUrl } from '../../src/fields/url.ts'

it('an address with a letter such as ü is one, however often it has been looked at', () => {
  const address = 'http://b\u00fccher.example/\u00fcber'
  const refused = Array.from({ length: 20_000 }, () => parseUrl(address)).filter(({ ok }) => !ok)
  expect(refused).toEqual([])
})

it('a relative address is one with its base only', () => {
  expect(canParseUrl('/a')).toBe(false)
  expect(canParseUrl('/a', 'http://b.example/')).toBe(true)
})
