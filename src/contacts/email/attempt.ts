/**
 * One attempt to send a message, and the meaning of its result.
 *
 * @module
 */

import { MissingDependencyError } from '../../errors.ts'
import { createStop } from '../../net/timing/stop.ts'
import { formsOfLogin } from '../../secrets/forms.ts'
import { beginAttempt } from '../../webhook/attempt.ts'
import type { Delivery, DeliveryContext, AttemptResult } from '../../webhook/contact-kind.ts'
import { printable } from '../../model/printable.ts'
import { withoutSecretsSteps } from '../../secrets/redaction.ts'
import { classify } from '../../webhook/retry.ts'
import type { DeliveryClass } from '../../webhook/retry.ts'
import { messageOf } from '../words.ts'
import { composeMessage } from './message.ts'
import type { Envelope, Composer, WrittenMail } from './message.ts'
import { handOver } from './smtp.ts'
import type { Accepted, MailServer, SmtpClient } from './smtp.ts'

const ANSWER_CHARS = 2000

export interface Mailing {
  readonly server: MailServer
  readonly envelope: Envelope
  readonly delivery: Delivery
  readonly brand: string
  readonly deadlineMs: number
  /** The user's words for this delivery. */
  readonly written: WrittenMail
}

/** Never rejects. */
export async function attemptTo(ctx: DeliveryContext, mailing: Mailing): Promise<AttemptResult> {
  const { server, envelope, delivery, brand } = mailing
  const attempt = beginAttempt(ctx, mailing.deadlineMs)
  const progress = { sending: false }
  const answer = async (said: string): Promise<string> => {
    const steps = withoutSecretsSteps(said, passwordForms(server))
    return printable(await ctx.network.turns.run(createStop(), steps)).slice(0, ANSWER_CHARS)
  }
  try {
    const { Client, Composer } = await loadDriver()
    const letter = { ...envelope, message: messageOf(delivery), written: mailing.written, brand }
    const message = await composeMessage(Composer, letter)
    const onSend = (): void => void (progress.sending = true)
    const accepted = await handOver(Client, attempt, { server, envelope, message, onSend })
    warnOfRejected(ctx, delivery, accepted)
    const said = [accepted.response, ...accepted.rejected].join(' ')
    return { ...end('delivered', null), duration_ms: attempt.elapsed(), answer: await answer(said) }
  } catch (error) {
    if (error instanceof MissingDependencyError) {
      ctx.log.error({ err: error }, 'an e-mail could not be sent')
      return end('failed', error.code)
    }
    const code = attempt.codeOf(error)
    return {
      ...end(classOf(code), code),
      duration_ms: attempt.elapsed(),
      answer: code.startsWith('smtp_') ? await answer((error as Error).message) : null,
      ...(code === 'stopped' && !progress.sending ? { uncounted: true } : {}),
    }
  } finally {
    await attempt.end()
  }
}

function classOf(code: string): DeliveryClass {
  if (/^smtp_5\d\d$/.test(code)) return 'failed'
  return classify({ http_status: null, error: code })
}

function end(verdict: DeliveryClass, error: string | null): AttemptResult {
  return {
    class: verdict,
    http_status: null,
    error,
    answer: null,
    duration_ms: 0,
    retry_after_ms: null,
  }
}

/** The other recipients have received it: another attempt would send it to them twice. */
function warnOfRejected(
  ctx: DeliveryContext,
  { notification_id }: Delivery,
  { rejected }: Accepted,
): void {
  if (rejected.length === 0) return
  const about = { notification_id, recipients: rejected.length }
  ctx.log.warn(about, 'a mail server refused some of the recipients')
}

/** The password in its encodings on the wire (RFC 4616, and AUTH LOGIN). */
function passwordForms({ login }: MailServer): readonly string[] {
  if (login === undefined) return []
  const { user, pass } = login
  return [pass, ...formsOfLogin(user, pass)]
}

interface Driver {
  readonly Client: SmtpClient
  readonly Composer: Composer
}

/** Loads nodemailer with the first e-mail. @throws MissingDependencyError */
export async function loadDriver(): Promise<Driver> {
  try {
    const [client, composer] = await Promise.all([
      import('nodemailer/lib/smtp-connection'),
      import('nodemailer/lib/mail-composer'),
    ])
    return { Client: client.default, Composer: composer.default }
  } catch (cause) {
    throw new MissingDependencyError('nodemailer', { cause })
  }
}
