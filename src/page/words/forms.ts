/**
 * What tables of words are made with: plurals, numbers, and sentences with something in them.
 *
 * @module
 */

/** A sentence around something that is no text, such as a link: in the order of the language. */
export type Parts<T> = readonly (string | T)[]

/** A text for each of the plural categories that the language has; `other` stands for those that are not there. */
export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & {
  readonly other: string
}

export interface WordForms {
  /** The form for this number: `plural(2, { one: '1 day', other: '2 days' })`. */
  plural(count: number, forms: PluralForms): string
  /** `1,234` */
  number(value: number): string
}

/** For one language, by its tag: `formsOf('de')`. */
export function formsOf(locale: string): WordForms {
  const rules = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)
  return {
    plural: (count, forms) => forms[rules.select(count)] ?? forms.other,
    number: (value) => numbers.format(value),
  }
}
