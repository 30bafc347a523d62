/**
 * Fills a message template in: the values of one event, escaped, and within what the service takes. What the user wrote
 * is never cut; values are shortened evenly until the whole fits, so that no tag loses its end.
 *
 * @module
 */

import type { Delivery } from '../webhook/contact-kind.ts'
import { sampleDelivery } from '../webhook/sample.ts'
import type { Message } from './message.ts'
import type { PartRules } from './message-template.ts'
import { render, valuesOf } from './template.ts'
import type { Template, Values } from './template.ts'
import { cutEscaped, tidyLine } from './text.ts'
import { messageOf } from './words.ts'

/** Longest value there is: `facts`. */
const LONGEST_VALUE = 16_384

/** The settings of a template as they are decoded: parts of every event, and those of single events. */
export interface Templates {
  readonly events?: ReadonlyMap<string, Readonly<Record<string, Template | undefined>>> | undefined
  readonly [part: string]: Template | ReadonlyMap<string, unknown> | undefined
}

export interface Filling {
  readonly message: Message
  readonly delivery: Pick<Delivery, 'event' | 'payload'>
}

/** Fills in the part of this name; `undefined` where the template has none, or only blanks remain. */
export function filler(
  templates: Templates | undefined,
  { message, delivery }: Filling,
): (part: string, rules: PartRules) => string | undefined {
  if (templates === undefined) return () => undefined
  const values =
    message.event === 'test' ? sampleValues(message, delivery) : valuesOf(message, delivery)
  return (part, rules) => {
    const template = templateFor(templates, message.event, part)
    if (template === undefined) return undefined
    const text = fit(template, values, rules)
    return text.trim() === '' ? undefined : text
  }
}

function templateFor(templates: Templates, event: string, part: string): Template | undefined {
  const general = Object.hasOwn(templates, part) ? templates[part] : undefined
  const own = templates.events?.get(event)?.[part]
  return own ?? (general as Template | undefined)
}

/** A test has no monitor: an example stands in for it, so that a template can be seen. */
function sampleValues(message: Message, delivery: Filling['delivery']): Values {
  const sample = sampleDelivery('down', Date.parse(message.sent_at))
  const filled = [...valuesOf(messageOf(sample), sample)]
  const own = valuesOf(message, delivery)
  return new Map(filled.map(([name, value]) => [name, own.get(name) || value]))
}

function fit(template: Template, values: Values, rules: PartRules): string {
  const parts = template.map((part) =>
    typeof part === 'string' && rules.plain === true ? rules.escape(part, '') : part,
  )
  const filled = (max: number): string => {
    // A template may insert one long value forty times.
    const known = new Map<string, string>()
    return render(parts, values, (value, name) => {
      const key = `${name}:${value.length}`
      const text = known.get(key) ?? inserted(value, { name, max, rules })
      known.set(key, text)
      return text
    })
  }
  const fits = (text: string): boolean => (rules.lengthOf?.(text) ?? text.length) <= rules.max
  const whole = filled(LONGEST_VALUE * 8)
  if (fits(whole)) return whole
  let [low, high] = [0, rules.max]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(filled(middle))) low = middle
    else high = middle - 1
  }
  return filled(low)
}

interface Insertion {
  readonly name: string
  readonly max: number
  readonly rules: PartRules
}

function inserted(value: string, { name, max, rules }: Insertion): string {
  if (max < 1) return ''
  const line = rules.lines ? value : tidyLine(value.replaceAll('\n', ', '))
  if (name !== 'link') return cutEscaped(line, max, (text) => rules.escape(text, name))
  const whole = rules.escape(line, name)
  // A shortened address leads elsewhere.
  return whole.length > max ? '' : whole
}
