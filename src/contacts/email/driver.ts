/**
 * Loads nodemailer with the first e-mail.
 *
 * @module
 */

import { MissingDependencyError } from '../../errors.ts'
import type { Composer } from './message.ts'
import type { SmtpClient } from './smtp.ts'

export interface Driver {
  readonly Client: SmtpClient
  readonly Composer: Composer
}

/** @throws MissingDependencyError */
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
