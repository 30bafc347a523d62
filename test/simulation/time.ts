export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** At the end of every history nothing goes wrong any more, so that all that is under way can end. */
export const CALM = 7 * HOUR
