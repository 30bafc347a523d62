/**
 * Own words for e-mails: subject, text, and HTML if wanted.
 *
 * @module
 */

import type { Settings } from '../../fields/field.ts'
import { filler } from '../filled-template.ts'
import type { Filling } from '../filled-template.ts'
import { escapeHtml, htmlProblem } from '../markup.ts'
import { mailTemplate } from '../message-template.ts'
import type { PartRules } from '../message-template.ts'
import type { WrittenMail } from './message.ts'
import { SUBJECT_CHARS } from './message.ts'

/** Of a text or its HTML: more than a mail program shows at once. */
const BODY_CHARS = 16_384

const asWritten = (text: string): string => text

const rules: Readonly<Record<'title' | 'body' | 'html', PartRules>> = {
  title: { max: SUBJECT_CHARS, lines: false, escape: asWritten },
  body: { max: BODY_CHARS, lines: true, escape: asWritten },
  html: { max: BODY_CHARS, lines: true, escape: escapeHtml, problem: htmlProblem },
}

// The type is inferred: written out it would stand here twice.
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types
export const mailTemplateField = () => mailTemplate(rules)

type Template = Settings<{ readonly template: ReturnType<typeof mailTemplateField> }>['template']

export function writtenMail(template: Template, filling: Filling): WrittenMail {
  const fill = filler(template, filling)
  return {
    title: fill('title', rules.title),
    body: fill('body', rules.body),
    html: fill('html', rules.html),
  }
}
