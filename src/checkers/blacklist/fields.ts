/**
 * The settings of `blacklist`. A provider that the host has not configured is rejected when a
 * monitor is created.
 *
 * @module
 */

import { textSchema } from '../../fields/text.ts'
import { defineField } from '../../fields/field.ts'
import { field } from '../../fields/vocabulary.ts'
import { targetField } from './target.ts'
import type { BlacklistProvider } from './provider.ts'
import type { ProviderName } from './judge.ts'

/** The providers that the host has configured. */
export type Providers = { readonly [P in ProviderName]?: BlacklistProvider }

/** How a host configures a provider: shown in `GET /types` and in the 422 response. */
const PROVIDED_BY = {
  rkn: 'WATCHPOST_RKN_FEED, or providers.rkn of blacklist()',
  gsb: 'WATCHPOST_GSB_KEY, or providers.gsb of blacklist()',
} as const

export const fieldsWith = (providers: Providers) => ({
  target: targetField().required(),
  rkn: field
    .flag({
      description: 'Look into the registry of blocked sites that the host provides',
      unavailable: missing('rkn', providers),
    })
    .default(false),
  gsb: field
    .flag({
      description: 'Ask Google Safe Browsing (or Web Risk), where the host has a key',
      unavailable: missing('gsb', providers),
    })
    .default(false),
  lists: field.list(listWord(), {
    description:
      'DNS blocklists by id or zone; !id or !zone leaves one out, !category (such as !policy) a kind of listing. none, beside rkn or gsb, asks no list. Default: the set of the host',
    max: 32,
    commas: true,
    example: 'spamhaus-zen, bl.example.org, !policy',
  }),
})

function listWord() {
  return defineField<string>(
    { kind: 'string', min: 1, max: 253, description: 'Id or zone of a list' },
    textSchema({ max: 253, trim: true }),
  )
}

export function missing(name: ProviderName, providers: Providers): string | undefined {
  if (providers[name] !== undefined) return undefined
  return `no provider for it is configured here (${PROVIDED_BY[name]})`
}

export type BlacklistFields = ReturnType<typeof fieldsWith>
