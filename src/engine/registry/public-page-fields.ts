/**
 * The settings of a public page made at run time.
 *
 * @module
 */

import * as v from 'valibot'
import { defineField } from '../../fields/field.ts'
import type { FieldBuilder, FieldTable } from '../../fields/field.ts'
import { MAX_TAG_CHARS } from '../../fields/references.ts'
import { textSchema } from '../../fields/text.ts'
import { field } from '../../fields/vocabulary.ts'
import { PAGE_COLORS } from '../../model/public-page.ts'
import type { PageColor, PageGroup } from '../../model/public-page.ts'
import { isTimeZone } from '../../model/time.ts'
import { pageCss, pageLogo } from './page-css.ts'

/** Each is drawn with ninety days. */
export const MAX_SERVICES = 100
const MAX_GROUPS = 20

function matching(form: RegExp, expected: string, max: number) {
  return v.pipe(
    textSchema({ max, trim: true }),
    v.transform((text) => text.toLowerCase()),
    v.regex(form, `invalid: ${expected}`),
  )
}

function slug(): FieldBuilder<string> {
  const expected = 'letters, digits and hyphens are expected, beginning with a letter or digit'
  return defineField(
    {
      kind: 'string',
      format: 'slug',
      description: 'The page is at `/status/<slug>`; no two pages have the same',
      min: 1,
      max: 64,
      example: 'shop',
    },
    matching(/^[a-z\d][a-z\d-]*$/, expected, 64),
  )
}

function timeZone(): FieldBuilder<string> {
  return defineField(
    {
      kind: 'string',
      format: 'time_zone',
      description: 'IANA time zone of the times on the page',
      min: 1,
      max: 64,
      example: 'Europe/Berlin',
    },
    v.pipe(
      textSchema({ max: 64, trim: true }),
      v.check(isTimeZone, 'invalid: an IANA time zone is expected, such as Europe/Berlin'),
    ),
  )
}

const id = v.pipe(
  v.number('invalid: an id is expected'),
  v.safeInteger('invalid: an id is expected'),
  v.minValue(1, 'invalid: an id is expected'),
)

const text = (max: number) => v.optional(textSchema({ min: 0, max, trim: true }), '')

/** An id alone stands for a monitor with its own name. */
const service = v.pipe(
  v.unknown(),
  v.transform((given) => (typeof given === 'number' ? { id: given } : given)),
  v.strictObject(
    { id, name: text(200) },
    'invalid: an id, or an object with `id` and `name` is expected',
  ),
)

const group = v.strictObject(
  {
    name: text(100),
    monitors: v.optional(
      v.pipe(
        v.array(service, 'invalid: an array is expected'),
        v.maxLength(MAX_SERVICES, `out_of_range: 0..${MAX_SERVICES} items`),
      ),
      [],
    ),
    tag: text(MAX_TAG_CHARS),
  },
  'invalid: an object with `name`, `monitors` and `tag` is expected',
)

function groups(): FieldBuilder<readonly PageGroup[]> {
  const schema = v.pipe(
    v.array(group, 'invalid: an array is expected'),
    v.maxLength(MAX_GROUPS, `out_of_range: 0..${MAX_GROUPS} items`),
    v.check(
      (given) => given.reduce((sum, { monitors }) => sum + monitors.length, 0) <= MAX_SERVICES,
      `out_of_range: at most ${MAX_SERVICES} monitors in all`,
    ),
  )
  return defineField(
    {
      kind: 'array',
      format: 'page_groups',
      description: `Services by heading, in the order of display: \`name\`, \`monitors\` (ids, or \`{ id, name }\` with the name on the page), \`tag\` (all monitors with it, by name). ${MAX_SERVICES} monitors are shown at most`,
      max: MAX_GROUPS,
    },
    schema,
  )
}

function color(name: PageColor): FieldBuilder<string> {
  return defineField(
    { kind: 'string', format: 'color', description: COLORED[name], min: 7, max: 7 },
    matching(/^#[\da-f]{6}$/, '#rrggbb is expected', 7),
  )
}

const COLORED: Readonly<Record<PageColor, string>> = {
  ground: 'Behind everything',
  raised: 'Behind cards and fields',
  line: 'Lines between parts',
  text: 'Text',
  muted: 'Text of less weight',
  accent: 'Links and focus',
  good: 'Operational',
  bad: 'Disrupted',
  warn: 'Not known for sure',
  quiet: 'Not monitored, in maintenance',
}

const palette = Object.fromEntries(PAGE_COLORS.map((name) => [name, color(name)])) as Readonly<
  Record<PageColor, FieldBuilder<string>>
>

export const PUBLIC_PAGE_FIELDS = {
  title: field.text({ description: 'Name of the page', max: 200, trim: true }).required(),
  slug: slug().required(),
  description: field
    .text({ description: 'A sentence below the headline', min: 0, max: 1000, trim: true })
    .default(''),
  groups: groups().default([]),
  logo: pageLogo().default(''),
  colors: field.group(
    {
      light: field.group(palette, { description: 'Colours of the light theme' }),
      dark: field.group(palette, { description: 'Colours of the dark theme' }),
    },
    { description: 'Colours as `#rrggbb`, for both themes' },
  ),
  css: pageCss().default(''),
  time_zone: timeZone().default('UTC'),
  password: field.secret({
    description: 'Visitors must know it; `null`: the page is open to all',
    min: 8,
  }),
  noindex: field.flag({ description: 'Asks search engines to leave the page out' }).default(true),
  show_targets: field
    .flag({ description: 'Shows the checked addresses beside the names' })
    .default(false),
  show_causes: field
    .flag({
      description:
        'Shows the causes of incidents, in the words of the checks: they may contain internal addresses',
    })
    .default(false),
} satisfies FieldTable
