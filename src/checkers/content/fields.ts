/**
 * The settings of `content`.
 *
 * @module
 */

import type { Settings, Stored } from '../../fields/field.ts'
import type { Problems } from '../../fields/parse.ts'
import { field } from '../../fields/vocabulary.ts'
import { authField, userProblem, withoutUserinfo } from '../http/credentials.ts'
import { ignoreRulesField } from './ignore-rules.ts'

export const contentFields = {
  url: field
    .url({
      description: 'Address of the page; user:pass@ is moved to auth',
      example: 'https://example.com/prices',
      userinfo: true,
    })
    .required(),
  ignore_regex: ignoreRulesField(
    'Patterns, one per line, bare or as /pattern/flags: what they match is cut out before the text is compared; blank lines and lines with # in front are comments',
  ),
  user_agent: field.headerValue({
    description: 'User-Agent; Watchpost and its version where absent',
  }),
  auth: authField,
}

export type ContentSettings = Settings<typeof contentFields>
type ContentStored = Stored<typeof contentFields>

export function refineContent(
  given: ContentStored,
): { readonly settings: ContentStored } | { readonly fields: Problems } {
  const settings = withoutUserinfo(given)
  const problem = userProblem(settings.auth)
  return problem === undefined ? { settings } : { fields: { 'auth.user': problem } }
}
