/**
 * Builds a text from many small parts. Parts are joined incrementally: joining a million parts at
 * the end would take as long as all work before.
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
