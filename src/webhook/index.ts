/**
 * The webhook sender, and what a contact kind of your own is made of.
 *
 * @module watchpost/webhook
 */

export { defineContactKind, deliveryOf } from './contact-kind.ts'
export type {
  AnyContactKind,
  CheckOptions,
  ContactKind,
  Delivery,
  DeliveryContext,
  AttemptResult,
} from './contact-kind.ts'
export { classify, MAX_ATTEMPTS, parseRetryAfter, pauseAfter } from './retry.ts'
export type { DeliveryClass, PauseOptions, RetryRules } from './retry.ts'
export { signWebhook } from './signature.ts'
export { httpTransport } from './transport.ts'
export type {
  SendContext,
  TransportOptions,
  WebhookAnswer,
  WebhookRequest,
  WebhookTransport,
} from './transport.ts'
export {
  assertWebhook,
  createReplayGuard,
  verifyWebhook,
  WebhookVerificationError,
} from './verify.ts'
export type {
  VerifiedWebhook,
  VerifyOptions,
  VerifyReason,
  VerifyResult,
  WebhookPayload,
} from './verify.ts'
export { webhookContact } from './webhook-kind.ts'
export type { WebhookOptions } from './webhook-kind.ts'
