/**
 * The webhook: the contact kind, signing and verification of its requests, and the retry schedule.
 *
 * @module watchpost/webhook
 */

export { MAX_ATTEMPTS, pauseAfter } from './retry.ts'
export type { PauseOptions, RetryRules } from './retry.ts'
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
  verifyStandardWebhook,
  verifyWebhook,
  WebhookVerificationError,
} from './verify.ts'
export type {
  StandardHeaders,
  VerifiedStandardWebhook,
  VerifiedWebhook,
  VerifyOptions,
  VerifyReason,
  VerifyResult,
  VerifyStandardOptions,
  VerifyStandardResult,
  WebhookPayload,
} from './verify.ts'
export { webhookContact } from './webhook-kind.ts'
export type { WebhookOptions } from './webhook-kind.ts'
