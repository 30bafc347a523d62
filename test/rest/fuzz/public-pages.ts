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

/** The first entries can be stored. */
const mostly = (values: readonly unknown[], good: number): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...values.slice(0, good)) },
    { weight: 1, arbitrary: fc.constantFrom(...values) },
  )

interface Body {
  readonly json: Readonly<Record<string, unknown>>
}

const page: fc.Arbitrary<Body> = fc
  .record({
    title: mostly(['Shop', ' <b>Shop</b> ', '漢😀', ''], 3),
    slug: fc.oneof(
      { weight: 12, arbitrary: fc.integer({ min: 0, max: 1e9 }).map((n) => `page-${n}`) },
      { weight: 1, arbitrary: fc.constantFrom('a/b', '-', 'shop', '') },
    ),
    groups: mostly(GROUPS, 1),
    css: mostly(CSS, 2),
    logo: mostly(LOGOS, 3),
    colors: mostly(COLORS, 2),
    time_zone: mostly(['UTC', 'Europe/Berlin', 'Nowhere'], 2),
    noindex: fc.constantFrom(true, false, null),
  })
  .map((json) => ({ json }))

const TEXTS = ['We look into it.', '<b>\n\n漢</b>', '']
const STATUSES = ['investigating', 'resolved', 'over']

const update: fc.Arbitrary<Body> = fc
  .record({ status: mostly(STATUSES, 2), text: mostly(TEXTS, 2) })
  .map((json) => ({ json }))

const report: fc.Arbitrary<Body> = fc
  .record({
    title: mostly(['Payments fail', ''], 1),
    page_ids: mostly([[1], [1, 1], [], [99_999]], 2),
    text: mostly(TEXTS, 2),
  })
  .map((json) => ({ json }))

/** Of the paths of status reports; a change has no text. */
export function statusReport(path: string): fc.Arbitrary<Body> {
  if (path.endsWith('/updates')) return update
  if (!path.endsWith('}')) return report
  return report.map(({ json: { text: _, ...json } }) => ({ json }))
}

/** `change`: a few of the fields. */
export function publicPage(change: boolean): typeof page {
  if (!change) return page
  return fc.tuple(page, fc.integer({ min: 0, max: 6 })).map(([{ json }, first]) => ({
    json: Object.fromEntries(Object.entries(json).slice(first, first + 2)),
  }))
}
