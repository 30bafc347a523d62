/** Bodies of public pages: most can be stored, some name no monitor of the account or break out of their field. */

import fc from 'fast-check'

const GROUPS = [
  [],
  [{ name: 'Web', monitors: [1], tag: 'shop' }],
  [{ monitors: [{ id: 1, name: '<b>Shop</b>' }] }, { tag: 'ä' }],
  [{ monitors: [1, 1] }],
  [{ monitors: [Number.MAX_SAFE_INTEGER] }],
  'all',
]
const CSS = ['', '.services{gap:0}', 'a{background:url(x)}', '</style><script>', '}', '@import "x"']
const LOGOS = [
  '',
  'https://cdn.example.com/logo.png',
  'data:image/png;base64,AAAA',
  'http://x/',
  'javascript:1',
]
const COLORS = [{}, { dark: { accent: '#8DB2FF' } }, { light: { accent: 'red' } }, { neon: {} }]

const page: fc.Arbitrary<{ readonly json: Readonly<Record<string, unknown>> }> = fc
  .record({
    title: fc.constantFrom('Shop', ' <b>Shop</b> ', '漢😀', ''),
    slug: fc.string({
      unit: fc.constantFrom('a', 'b', 'X', 'Y', '0', '9', '-', '_', '/'),
      minLength: 1,
      maxLength: 12,
    }),
    groups: fc.constantFrom(...GROUPS),
    css: fc.constantFrom(...CSS),
    logo: fc.constantFrom(...LOGOS),
    colors: fc.constantFrom(...COLORS),
    time_zone: fc.constantFrom('UTC', 'Europe/Berlin', 'Nowhere'),
    noindex: fc.constantFrom(true, false, null),
  })
  .map((json) => ({ json }))

/** `change`: a few of the fields. */
export function publicPage(change: boolean): typeof page {
  if (!change) return page
  return fc.tuple(page, fc.integer({ min: 0, max: 6 })).map(([{ json }, first]) => ({
    json: Object.fromEntries(Object.entries(json).slice(first, first + 2)),
  }))
}
