/**
 * The built-in contact kinds besides the webhook, one by one and as a list, and the parts for a
 * contact kind of your own.
 *
 * @module watchpost/contacts
 */

import type { RetryRules } from '../webhook/retry.ts'
import { asGuard } from '../webhook/target.ts'
import { webhookContact } from '../webhook/webhook-kind.ts'
import type { ContactOptions } from './posting.ts'

export { defineContactKind, deliveryOf } from '../webhook/contact-kind.ts'
export type {
  AnyContactKind,
  AttemptResult,
  CheckOptions,
  ContactKind,
  Delivery,
  DeliveryContext,
} from '../webhook/contact-kind.ts'
export { classify, parseRetryAfter } from '../webhook/retry.ts'
export type { DeliveryClass } from '../webhook/retry.ts'
export type { ContactOptions, PostingOptions } from './posting.ts'

// built-in:begin, written by `npm run exports` from the folder
import { discordContact } from './discord.ts'
import { emailContact } from './email/index.ts'
import type { EmailOptions } from './email/index.ts'
import { ntfyContact } from './ntfy.ts'
import { pagerdutyContact } from './pagerduty.ts'
import type { PagerdutyOptions } from './pagerduty.ts'
import { requestContact } from './request.ts'
import { slackContact } from './slack.ts'
import { teamsContact } from './teams.ts'
import { telegramContact } from './telegram.ts'
import type { TelegramOptions } from './telegram.ts'

export {
  discordContact,
  emailContact,
  ntfyContact,
  pagerdutyContact,
  requestContact,
  slackContact,
  teamsContact,
  telegramContact,
}
export type { EmailOptions, PagerdutyOptions, TelegramOptions }

const all = (options: ContactOptions) =>
  [
    discordContact(options),
    emailContact(options),
    ntfyContact(options),
    pagerdutyContact(options),
    requestContact(options),
    slackContact(options),
    teamsContact(options),
    telegramContact(options),
  ] as const
// built-in:end

export { messageOf } from './words.ts'
export type { Fact, Message, Severity } from './message.ts'

export interface BuiltinContactsOptions
  extends ContactOptions, Pick<RetryRules, 'retryConnectionErrors'> {}

/**
 * All built-in contact kinds, the webhook first, with one shared guard. `retryConnectionErrors`
 * applies to the webhook only.
 *
 * @throws ConfigurationError
 */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- the kinds are their own types
export function builtinContacts(given: BuiltinContactsOptions = {}) {
  const { retryConnectionErrors, ...shared } = given
  const options = { ...shared, guard: asGuard(given.guard) }
  return [
    webhookContact({
      ...options,
      ...(retryConnectionErrors === undefined ? {} : { retryConnectionErrors }),
    }),
    ...all(options),
  ] as const
}
