/**
 * Parses numbers as shown on pages: `1,234.56`, `1.234,56`, `1 234,56`, `1’234.56`, `−3.5`, `12 %`.
 *
 * @module
 */

/** Space, no-break spaces, thin spaces, apostrophes, underscore: always digit grouping. */
const GROUPING = "[ \\u00a0\\u2007\\u2009\\u202f'’_]"
/** Digit grouping or decimal separator, depending on the locale. */
const POINT = '[.,]'

/** Digits with groups, or digits without; both with an optional fraction and exponent. */
const NUMBER = new RegExp(
  `[-+−]?(?:\\d{1,3}(?:(?:${GROUPING}|${POINT})\\d{2,3})*(?:${GROUPING}|${POINT})\\d{3}(?!\\d)(?:${POINT}\\d+)?` +
    `|\\d+(?:${POINT}\\d+)?|${POINT}\\d+)(?:e[-+]?\\d{1,3})?`,
  'i',
)

/** Maximum characters of a match that are parsed. */
const MAX_CHARACTERS = 200

/**
 * The first number in `text`, `undefined` if there is none. A comma followed by exactly three
 * digits is grouping (`1,234` is 1234); any other single point or comma is the decimal separator.
 */
export function readNumber(text: string): number | undefined {
  const found = NUMBER.exec(text.slice(0, MAX_CHARACTERS))?.[0]
  if (found === undefined) return undefined
  const plain = found.replace(new RegExp(GROUPING, 'g'), '').replace('−', '-')
  const value = Number(withDecimalPoint(plain))
  return Number.isFinite(value) ? value : undefined
}

function withDecimalPoint(text: string): string {
  const point = decimalPoint(text)
  return [...text]
    .map((character) => (/[.,]/.test(character) ? (character === point ? '.' : '') : character))
    .join('')
}

/** The decimal separator of this number, `undefined` if there is none. */
function decimalPoint(text: string): '.' | ',' | undefined {
  const dots = text.split('.').length - 1
  const commas = text.split(',').length - 1
  if (dots > 0 && commas > 0) {
    const last = text.lastIndexOf('.') > text.lastIndexOf(',') ? '.' : ','
    return (last === '.' ? dots : commas) === 1 ? last : undefined
  }
  if (dots === 1) return '.'
  if (commas !== 1) return undefined
  return /^[-+]?[1-9]\d{0,2},\d{3}(?!\d)/.test(text) ? undefined : ','
}
