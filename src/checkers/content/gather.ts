/**
 * Text that is put together from many small parts. Joined now and then: a list of a million parts takes as long to
 * join at the end as everything before.
 *
 * @module
 */

export interface Gathered {
  add(part: string): void
  text(): string
}

const MAX_PARTS = 1024

export function gatherText(): Gathered {
  const whole: string[] = []
  let parts: string[] = []
  return {
    add(part) {
      parts.push(part)
      if (parts.length < MAX_PARTS) return
      whole.push(parts.join(''))
      parts = []
    },
    text: () => whole.join('') + parts.join(''),
  }
}
