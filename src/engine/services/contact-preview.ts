/**
 * What a contact would be sent: the kind composes an example, and nothing leaves the engine.
 *
 * @module
 */

import { ConflictError, ValidationError } from '../../errors.ts'
import { decodeSettings } from '../../fields/parse.ts'
import { nearestName } from '../../options.ts'
import type { ContactRecord } from '../../model.ts'
import type { AnyContactKind } from '../../webhook/contact-kind.ts'
import { SAMPLE_EVENTS, sampleDelivery } from '../../webhook/sample.ts'
import type { ContactPreview } from '../api/views.ts'
import type { Core } from '../core/core.ts'
import { openContact } from '../core/stored-contacts.ts'

/** @throws ValidationError for an unknown event; ConflictError `no_preview` if the kind has none */
export async function contactPreview(
  core: Core,
  { kind, record }: { readonly kind: AnyContactKind; readonly record: ContactRecord },
  event: string,
): Promise<ContactPreview> {
  if (!SAMPLE_EVENTS.includes(event)) {
    const near = nearestName(event, SAMPLE_EVENTS)
    const hint = near === undefined ? '' : `did you mean "${near}"? `
    throw new ValidationError({
      event: `invalid: ${hint}One of ${SAMPLE_EVENTS.join(', ')} is expected`,
    })
  }
  if (kind.preview === undefined)
    throw new ConflictError('no_preview', 'This kind of contact has no preview')
  const settings = decodeSettings(kind.fields, openContact(core, kind, record))
  const content = await kind.preview(settings, sampleDelivery(event, core.clock.now()))
  return { event, content }
}
