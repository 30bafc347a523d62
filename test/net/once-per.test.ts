import { describe, expect, it } from 'vitest'
import { oncePer } from '../../src/net/timing/once-per.ts'

describe('what is made of an object once', () => {
  const lengthOf = oncePer(({ url }: { readonly url: string }) => ({ chars: url.length }))

  it('is the same for the same frozen object, and another one for another', () => {
    const request = Object.freeze({ url: 'http://a/' })
    expect(lengthOf(request)).toBe(lengthOf(request))
    expect(lengthOf(request)).not.toBe(lengthOf(Object.freeze({ url: 'http://a/' })))
  })

  it('is made anew where the object may have changed', () => {
    const request = { url: 'http://a/' }
    lengthOf(request)
    request.url = 'http://longer/'
    expect(lengthOf(request)).toEqual({ chars: 14 })
  })
})
