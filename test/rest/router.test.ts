import { describe, expect, it } from 'vitest'
import { createRouter } from '../../src/rest/router.ts'

const router = createRouter([
  { method: 'GET', path: '/monitors' },
  { method: 'POST', path: '/monitors' },
  { method: 'GET', path: '/monitors/:id' },
  { method: 'DELETE', path: '/monitors/:id' },
  { method: 'GET', path: '/hb/:token' },
  { method: 'GET', path: '/hb/:token/:signal' },
])

describe('the router', () => {
  it('finds a route by method and pattern', () => {
    expect(router.match('DELETE', '/monitors/7')).toEqual({
      kind: 'found',
      route: { method: 'DELETE', path: '/monitors/:id' },
      params: { id: '7' },
    })
  })

  it('serves HEAD with the route of GET', () => {
    expect(router.match('HEAD', '/monitors')).toMatchObject({ route: { method: 'GET' } })
  })

  it('names the methods of a path that does not take the one asked for', () => {
    expect(router.match('PUT', '/monitors/7')).toEqual({
      kind: 'method',
      allow: ['GET', 'HEAD', 'DELETE'],
    })
  })

  it.each(['/', '', '/monitor', '/monitors//', '/monitors/7/x', '//monitors', '/hb//start'])(
    'does not know %j',
    (path) => {
      expect(router.match('GET', path)).toEqual({ kind: 'none' })
    },
  )

  it.each(['/monitors/', '/monitors/7/', '/hb/token/'])(
    'answers %j as without the slash',
    (path) => {
      expect(router.match('GET', path)).toEqual(router.match('GET', path.slice(0, -1)))
      expect(router.match('GET', path).kind).toBe('found')
    },
  )

  it.each(['0', '-1', '1.5', '01', '1e3', 'abc', '9007199254740992', '%31x', ' 1', '١'])(
    'takes %j for an unknown path, not for an id',
    (id) => {
      expect(router.match('GET', `/monitors/${encodeURI(id)}`)).toEqual({ kind: 'none' })
    },
  )

  it('takes the greatest safe integer for an id', () => {
    expect(router.match('GET', '/monitors/9007199254740991')).toMatchObject({ kind: 'found' })
  })

  it('decodes a segment and refuses one that cannot be decoded', () => {
    expect(router.match('GET', '/hb/a%2Fb')).toMatchObject({ params: { token: 'a/b' } })
    expect(router.match('GET', '/hb/%E0%A4%A')).toEqual({ kind: 'none' })
  })
})
