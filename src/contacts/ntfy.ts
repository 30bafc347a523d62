/**
 * ntfy, on ntfy.sh or your own server, published as JSON to the root of the server
 * (https://docs.ntfy.sh/publish/#publish-as-json). A message has at most 4096 bytes
 * (https://docs.ntfy.sh/publish/#limitations). On an open server anyone who knows the topic can
 * read it, so the topic is a secret field.
 *
 * @module
 */

import { field } from '../fields/vocabulary.ts'
import { checkOptions } from '../options.ts'
import type { ContactKind } from '../webhook/contact-kind.ts'
import { messageTemplate } from './message-template.ts'
import type { MessageRules } from './message-template.ts'
import { postingKind, postingOptions } from './posting.ts'
import type { PostingOptions } from './posting.ts'
import { cutBytes, factLines } from './text.ts'
import type { Severity } from './message.ts'

const MESSAGE_BYTES = 4096

/** Short codes of emojis (https://docs.ntfy.sh/emojis/). */
const TAGS: Readonly<Record<Severity, string>> = {
  down: 'red_circle',
  up: 'green_circle',
  warning: 'warning',
  info: 'information_source',
}

/** Plain text; the server counts bytes. */
const rules: MessageRules = {
  title: { max: 250, lengthOf: Buffer.byteLength, lines: false, escape: (text) => text },
  body: { max: MESSAGE_BYTES, lengthOf: Buffer.byteLength, lines: true, escape: (text) => text },
}

const fields = {
  server: field
    .url({ description: 'Address of the server', example: 'https://ntfy.example.com' })
    .default('https://ntfy.sh/'),
  topic: field.secret({ description: 'Topic to publish to' }).required(),
  token: field.secret({ description: 'Access token, where the topic is protected' }),
  priority: field
    .integer({ description: 'Priority of failures; all else comes with 3', min: 1, max: 5 })
    .default(4),
  template: messageTemplate(rules),
}

/** @throws ConfigurationError for an invalid option */
export function ntfyContact(options: PostingOptions = {}): ContactKind<typeof fields, 'ntfy'> {
  checkOptions('ntfyContact', options, postingOptions)
  return postingKind(options, {
    kind: 'ntfy',
    title: 'ntfy',
    fields,
    target: ({ server }) => ({ field: 'server', url: server }),
    refine: ({ topic, token }) => ({
      ...(/^[-_A-Za-z0-9]{1,64}$/.test(topic)
        ? {}
        : { topic: 'invalid: 1 to 64 letters, digits, - and _ are expected' }),
      // Sent as a header.
      ...(token === undefined || /^[\x21-\x7e]+$/.test(token)
        ? {}
        : { token: 'invalid: printable ASCII without spaces is expected' }),
    }),
    secrets: ({ topic, token }) => [topic, ...(token === undefined ? [] : [token])],
    rules,
    compose: (message, { topic, token, priority }, written) => ({
      ...(token === undefined ? {} : { headers: [['Authorization', `Bearer ${token}`]] }),
      body: {
        topic,
        title: written.title ?? message.title,
        // ntfy shows an empty message as "triggered".
        message: written.body ?? cutBytes(factLines(message.facts) || message.title, MESSAGE_BYTES),
        tags: [TAGS[message.severity]],
        priority: message.severity === 'down' ? priority : 3,
        ...(message.link === null ? {} : { click: message.link }),
      },
    }),
  })
}
