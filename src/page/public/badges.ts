/**
 * Badges as SVG, for a README or a site: the state, the uptime of 90 days and the response time, of the page or of
 * one service.
 *
 * @module
 */

import type { AvailabilityView } from '../../engine/services/uptime.ts'
import { html, textOf } from '../layout/markup.ts'
import type { Tone } from '../layout/words.ts'
import { overallOf, servicesOf } from './public-page.ts'
import { serviceWords } from './service-states.ts'
import type { PublicFacts, PublicService } from './public-page.ts'
import { plainName } from '../layout/service-name.ts'
import type { Language } from '../words/language.ts'
import { ENGLISH } from '../words/language.ts'

interface BadgeChoice {
  /** `state` if absent. */
  readonly kind: string | undefined
  /** Of one service; `null`: of the page. */
  readonly key: string | null
  readonly language: Language
}

/** White text on each has a contrast of at least 4.5:1. */
const COLORS: Readonly<Record<Tone, string>> = {
  good: '#1a7a50',
  bad: '#c6303c',
  warn: '#9a5900',
  quiet: '#5f646d',
}

/** `undefined` for a service that is not on the page. */
export function badgeAnswer(
  facts: PublicFacts,
  { kind = 'state', key, language }: BadgeChoice,
): string | undefined {
  const services = servicesOf(facts).filter((service) => key === null || service.key === key)
  const [only] = services
  if (key !== null && only === undefined) return undefined
  const name = key === null || only === undefined ? facts.title : plainName(only.name)(language)
  const { uptimeShort, responseShort } = language.words.public
  if (kind === 'uptime') return drawn(`${name} ${uptimeShort}`, ...uptimeOf(services, language))
  if (kind === 'response')
    return drawn(`${name} ${responseShort}`, ...responseOf(services, language))
  const { label, tone } = key === null || only === undefined ? overallOf(facts) : serviceWords(only)
  return drawn(name, label(language), tone)
}

export function uptimeOfAll(services: readonly PublicService[]): number | null {
  return percentUp(services.map(({ uptime }) => uptime))
}

/** The seconds up of the seconds that are known, in percent; `null` if none is. */
export function percentUp(
  parts: readonly Pick<AvailabilityView, 'up_sec' | 'down_sec'>[],
): number | null {
  let [up, known] = [0, 0]
  for (const { up_sec, down_sec } of parts) {
    up += up_sec
    known += up_sec + down_sec
  }
  return known === 0 ? null : (up / known) * 100
}

function uptimeOf(
  services: readonly PublicService[],
  { words, uptime }: Language,
): readonly [string, Tone] {
  const percent = uptimeOfAll(services)
  if (percent === null) return [words.public.noData, 'quiet']
  return [uptime(percent), percent >= 99.9 ? 'good' : percent >= 99 ? 'warn' : 'bad']
}

/** Of several services the slowest. */
function responseOf(
  services: readonly PublicService[],
  { words, ms }: Language,
): readonly [string, Tone] {
  const medians = services.flatMap(({ median_ms }) => (median_ms === null ? [] : [median_ms]))
  return medians.length === 0 ? [words.public.noData, 'quiet'] : [ms(Math.max(...medians)), 'good']
}

const MAX_CHARACTERS = 60
/** Of a character of 11 px; `textLength` makes it exact. */
const CHARACTER = 6.5

function drawn(label: string, value: string, tone: Tone): string {
  const [left, right] = [cut(label), cut(value)]
  const [leftWidth, rightWidth] = [left, right].map((each) =>
    Math.round([...each].length * CHARACTER),
  )
  const [a, b] = [(leftWidth ?? 0) + 12, (rightWidth ?? 0) + 12]
  const words = (text: string, x: number, width: number | undefined) =>
    html`<text x="${x}" y="14" textLength="${width}" lengthAdjust="spacingAndGlyphs">${text}</text>`
  return textOf(
    html`<svg
      xmlns="http://www.w3.org/2000/svg"
      width="${a + b}"
      height="20"
      role="img"
      aria-label="${left}: ${right}"
    >
      <title>${left}: ${right}</title>
      <clipPath id="c"><rect width="${a + b}" height="20" rx="4" /></clipPath>
      <g clip-path="url(#c)">
        <rect width="${a}" height="20" fill="#3b3f45" />
        <rect x="${a}" width="${b}" height="20" fill="${COLORS[tone]}" />
      </g>
      <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
        ${words(left, 6, leftWidth)}${words(right, a + 6, rightWidth)}
      </g>
    </svg>`,
    // Its words are in place.
    ENGLISH,
  )
}

function cut(text: string): string {
  const characters = [...text]
  if (characters.length <= MAX_CHARACTERS) return text
  return `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…`
}
