/**
 * What is shown of a secret.
 *
 * @module
 */

/** Stands for a secret in every answer; sent back in a PATCH it keeps what is stored. */
export const MASK = '***'
