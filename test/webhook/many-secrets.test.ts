/** Contacts with the most and longest secrets: no turn of the event loop is long, however many are delivered at once. */
import { describe, expect, it } from 'vitest'
import { answersAtOnce } from '../support/answers-at-once.ts'
import { leastTurns } from '../support/turns.ts'
import { rig } from './rig.ts'

/** Every encoder escapes each of these signs in another way. */
const signs = (chars: number, tail: string): string =>
  'é&"/'.repeat(chars / 4).slice(0, chars - tail.length) + tail

/** 16 KB, the most that a contact may have. */
const HEADERS = Object.fromEntries(
  Array.from({ length: 4 }, (_, n) => [`X-${n}`, signs(4000, `${n}`)]),
)

/** Nearly repeats each of them. */
const ANSWER = Buffer.from(signs(3999, '!').repeat(4))
const later = Buffer.concat([
  Buffer.from(`HTTP/1.1 500 No\r\nContent-Length: ${ANSWER.length}\r\n\r\n`),
  ANSWER,
])

describe('the secrets of a contact', () => {
  it('are cut out of the answers of many receivers in short turns', async () => {
    const count = 16
    const port = await answersAtOnce({ count, later })
    const { attempt } = rig()
    const settings = {
      url: `http://127.0.0.1:${port}/`,
      secret: signs(4000, 's'),
      headers: HEADERS,
    }
    const { value, longest_ms } = await leastTurns(
      4,
      () => Promise.all(Array.from({ length: count }, () => attempt(settings))),
      50,
    )
    expect(new Set(value.map(({ error }) => error))).toEqual(new Set(['http_500']))
    expect(longest_ms).toBeLessThan(50)
  })
})
