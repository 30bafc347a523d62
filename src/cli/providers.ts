/**
 * Configures the providers of `rkn` and `gsb` from the environment.
 *
 * @module
 */

import type { BlacklistOptions } from '../checkers/blacklist/index.ts'
import { EXTRA_TYPES } from '../checkers/by-type.ts'
import type { BuiltinOptions } from '../checkers/index.ts'
import { ConfigurationError, UnknownTypeError } from '../errors.ts'
import type { SettingValues } from './environment.ts'
import { HOUR_MS } from '../model/time.ts'

export const PROVIDER_SETTINGS = [
  'rkn_feed',
  'rkn_max_age_hours',
  'gsb_key',
  'gsb_url',
  'gsb_api',
] as const

/** What decides which checkers an engine has. */
export const CHECKER_SETTINGS = ['extra_checkers', ...PROVIDER_SETTINGS] as const

type ProviderSettings = SettingValues<(typeof PROVIDER_SETTINGS)[number]>
type Providers = NonNullable<BlacklistOptions['providers']>

/** @throws ConfigurationError where WATCHPOST_GSB_URL stands without a key */
export async function builtinOptions(settings: ProviderSettings): Promise<BuiltinOptions> {
  const { rkn_feed, gsb_key, gsb_url } = settings
  if (gsb_key === undefined && gsb_url !== undefined)
    throw new ConfigurationError('WATCHPOST_GSB_URL: it goes with WATCHPOST_GSB_KEY')
  // A check of another type need not load the code of this one.
  if (rkn_feed === undefined && gsb_key === undefined) return {}
  const { registryFeed, safeBrowsing } = await import('../checkers/blacklist/index.ts')
  const providers: Providers = {
    ...(rkn_feed === undefined
      ? {}
      : { rkn: registryFeed({ ...rkn_feed, maxAgeMs: settings.rkn_max_age_hours * HOUR_MS }) }),
    ...(gsb_key === undefined
      ? {}
      : {
          gsb: safeBrowsing({
            key: gsb_key,
            api: settings.gsb_api,
            ...(gsb_url === undefined ? {} : { endpoint: gsb_url }),
          }),
        }),
  }
  return { blacklist: { providers } }
}

/** The same, with the types beyond the specification if they are wanted. */
export async function checkerOptions(
  settings: SettingValues<(typeof CHECKER_SETTINGS)[number]>,
): Promise<BuiltinOptions> {
  return { ...(await builtinOptions(settings)), extra: settings.extra_checkers }
}

/** Follows the message of an error about types without a checker, if the setting `extra_checkers` registers some. */
export function extraTypesHint(error: unknown): string {
  const unknown = unknownTypesIn(error)
  const named = EXTRA_TYPES.filter((type) => unknown.includes(type))
  return named.length === 0 ? '' : `\n  WATCHPOST_EXTRA_CHECKERS=true registers ${named.join(', ')}`
}

/** Of the error, or of one that caused it. */
function unknownTypesIn(error: unknown): readonly string[] {
  if (error instanceof UnknownTypeError) return error.types
  return error instanceof Error ? unknownTypesIn(error.cause) : []
}
